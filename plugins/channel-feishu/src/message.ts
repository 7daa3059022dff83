/** One message of Feishu, told by an event or found in the history → who says what to whom. Pure. */
import { type Content, readContent } from "./content.ts";
import { isRecord, needed, recordsOf, textOf, type Wire } from "./json.ts";

export interface Mention {
  readonly key: string;
  /** `ou_…`; absent: all. */
  readonly id?: string;
  readonly name: string;
}

export interface Said {
  readonly id: string;
  readonly chat: string;
  readonly isPrivate: boolean;
  readonly at: number;
  readonly from: { readonly id: string; readonly isUs: boolean; readonly isBot: boolean };
  readonly mentions: readonly Mention[];
  /** Undefined: nothing that anybody said. */
  readonly content: Content | undefined;
  /** Of whose topic: the message that it began with. */
  readonly thread?: { readonly id: string; readonly root: string };
  /** The message that it answers. */
  readonly parent?: string;
}

/** Who we are there. */
export interface Me {
  readonly appId: string;
  /** `ou_…` */
  readonly openId: string;
}

/** @param event of `im.message.receive_v1`. @throws TypeError for what is no message. */
export function readEvent(event: Wire, me: Me): Said {
  const message = isRecord(event["message"]) ? event["message"] : {};
  const sender = isRecord(event["sender"]) ? event["sender"] : {};
  const ids = isRecord(sender["sender_id"]) ? sender["sender_id"] : {};
  const type = textOf(sender["sender_type"]) ?? "user";
  return readWith(message, me, {
    type: needed(message["message_type"], "message_type"),
    content: textOf(message["content"]) ?? "",
    isPrivate: message["chat_type"] === "p2p",
    sender: needed(ids["open_id"] ?? ids["union_id"] ?? ids["user_id"], "sender_id"),
    isBot: type !== "user",
    mentionId: ({ id }) => (isRecord(id) ? textOf(id["open_id"]) : undefined),
  });
}

/** @param item of a list of messages. @throws TypeError for what is no message. */
export function readItem(item: Wire, me: Me, isPrivate: boolean): Said {
  const sender = isRecord(item["sender"]) ? item["sender"] : {};
  const body = isRecord(item["body"]) ? item["body"] : {};
  return readWith(item, me, {
    // What was taken back says nothing any more.
    type: item["deleted"] === true ? "system" : needed(item["msg_type"], "msg_type"),
    content: textOf(body["content"]) ?? "",
    isPrivate,
    // Feishu itself has no id.
    sender: textOf(sender["id"]) ?? "feishu",
    isBot: sender["sender_type"] !== "user",
    mentionId: ({ id }) => textOf(id),
  });
}

interface Form {
  readonly type: string;
  readonly content: string;
  readonly isPrivate: boolean;
  readonly sender: string;
  readonly isBot: boolean;
  readonly mentionId: (mention: Wire) => string | undefined;
}

function readWith(message: Wire, me: Me, form: Form): Said {
  const id = needed(message["message_id"], "message_id");
  const at = Number(needed(message["create_time"], "create_time"));
  if (!Number.isFinite(at)) throw new TypeError("create_time is no number");
  const mentions = recordsOf(message["mentions"]).flatMap((mention): readonly Mention[] => {
    const key = textOf(mention["key"]);
    const whom = form.mentionId(mention);
    if (key === undefined) return [];
    return [{ key, ...(whom !== undefined && { id: whom }), name: textOf(mention["name"]) ?? "" }];
  });
  const thread = textOf(message["thread_id"]);
  const parent = textOf(message["parent_id"]);
  return {
    id,
    chat: needed(message["chat_id"], "chat_id"),
    isPrivate: form.isPrivate,
    at,
    from: { id: form.sender, isUs: form.sender === me.openId || form.sender === me.appId, isBot: form.isBot },
    mentions,
    content: readContent(form.type, form.content, (key) => nameOf(key, mentions)),
    ...(thread !== undefined && { thread: { id: thread, root: textOf(message["root_id"]) ?? id } }),
    ...(parent !== undefined && { parent }),
  };
}

function nameOf(key: string, mentions: readonly Mention[]): string {
  if (key === "@_all") return "@all";
  const name = mentions.find((one) => one.key === key)?.name ?? "";
  return name === "" ? key : `@${name}`;
}

/** `@margay /here` is the command. */
export function wordsOf({ content, mentions }: Said, me: Me): string {
  const text = content?.text ?? "";
  const ours = mentions.find(({ id }) => id === me.openId)?.name ?? "";
  const rest = ours !== "" && text.trimStart().startsWith(`@${ours}`) ? text.trimStart().slice(ours.length + 1) : "";
  return /^\s*\//.test(rest) ? rest.trimStart() : text;
}

/**
 * In a group: whether we are meant. Undefined: it is said to all.
 * @param answered whose words the parent is; undefined: nobody knows
 */
export function addressedOf(
  { mentions, parent, thread, from, content }: Said,
  me: Me,
  answered: string | undefined,
): "named" | "reply" | "other" | undefined {
  if (mentions.some(({ id }) => id === me.openId)) return "named";
  if (answered === me.openId || answered === me.appId) return "reply";
  // In a topic whatever is said answers its first message; to add to one's own words is no talk with somebody else.
  const isAnswer = parent !== undefined && parent !== thread?.root && answered !== undefined && answered !== from.id;
  if (isAnswer) return "other";
  const begins = mentions.some(
    ({ id, name }) => id !== undefined && name !== "" && content?.text.trimStart().startsWith(`@${name}`) === true,
  );
  return begins ? "other" : undefined;
}
