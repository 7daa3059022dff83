/** One message of Slack → who says what to whom. Pure. */
import type { InboundMessage, Sender, SentFile } from "@margay/core/plugin";
import { needed, recordsOf, textOf, type Wire } from "./json.ts";
import { wordsOf } from "./words.ts";

export interface Read extends Pick<
  InboundMessage,
  "key" | "from" | "chat" | "addressed" | "sentAt" | "marks" | "quotes" | "unnamed"
> {
  readonly text: string;
  readonly files: readonly SentFile[];
  /** The thread that it stands in, or that it opens. */
  readonly thread: string | undefined;
  /** It opens one: what is said there is said to us. */
  readonly opens: boolean;
}

/** Who we are. */
export interface Me {
  readonly user: string;
  readonly bot: string | undefined;
  readonly name: string;
}

/** What a message does not say itself. */
export interface Surroundings {
  readonly me: Me;
  readonly replyInThread: "auto" | "always" | "never";
  /** Whether a thread was opened by us, or for us. */
  readonly isOurs: (thread: string) => boolean;
}

/** Of one message so many names are looked up. */
const MAX_UNNAMED = 20;
/** What people, and programs, write; all others are told by Slack. */
const TALK = [undefined, "file_share", "thread_broadcast", "me_message", "bot_message"];

/** Where it stands; undefined: it is no talk, or our own. @throws TypeError for what is no message. */
export function placeIn(
  event: Wire,
  me: Me,
): { readonly channel: string; readonly ts: string; readonly thread: string | undefined } | undefined {
  const channel = needed(event["channel"], "channel");
  const ts = needed(event["ts"], "ts");
  if (!/^\d+\.\d{6}$/.test(ts)) throw new TypeError(`${ts} is no ts`);
  if (!TALK.includes(textOf(event["subtype"])) || event["hidden"] === true) return undefined;
  if (isOwn(event, me)) return undefined;
  const root = textOf(event["thread_ts"]);
  return { channel, ts, thread: root === ts ? undefined : root };
}

/** Whether we have said it. */
export function isOwn(event: Wire, { user, bot }: Me): boolean {
  return event["user"] === user || (bot !== undefined && event["bot_id"] === bot);
}

/** Users that it tells the ids of, and not the names. */
function usersIn(event: Wire, { me }: Surroundings): readonly string[] {
  const shared = sharedIn(event);
  const texts = [event, shared, ...attachedTo(event)].map(
    (one) => `${textOf(one?.["text"])} ${textOf(one?.["fallback"])}`,
  );
  const mentioned = [...texts.join(" ").matchAll(/<@([A-Z0-9]+)[|>]/g)].flatMap(([, id]) => id ?? []);
  const all = [textOf(event["user"]), textOf(shared?.["author_id"]), ...mentioned];
  return [...new Set(all)].filter((id) => id !== undefined && id !== me.user).slice(0, MAX_UNNAMED) as string[];
}

/** @throws TypeError for what is no message. */
export function readMessage(event: Wire, around: Surroundings): Read {
  const channel = needed(event["channel"], "channel");
  const ts = needed(event["ts"], "ts");
  const bot = textOf(event["bot_id"]);
  const user = textOf(event["user"]);
  const id = needed(user ?? bot, "user");
  const name = user === undefined ? textOf(event["username"]) : undefined;
  const from: Sender = {
    id,
    kind: "person",
    ...(name !== undefined && { name }),
    ...(bot !== undefined && { bot: true }),
  };
  const isPrivate = event["channel_type"] === "im" || channel.startsWith("D");
  const root = textOf(event["thread_ts"]);
  const thread = root === ts ? undefined : root;
  const addressed = isPrivate ? undefined : addressedOf(event, thread, around);
  const text = textOfMessage(event, around);
  const unnamed = usersIn(event, around);
  const { replyInThread } = around;
  const wantsThread =
    thread === undefined &&
    // A command is for the chat, and not for a new thread.
    !text.startsWith("/") &&
    (isPrivate ? replyInThread === "always" : replyInThread !== "never" && addressed === "named");
  return {
    key: `${channel}:${ts}`,
    from,
    chat: isPrivate ? "private" : "group",
    ...(addressed !== undefined && { addressed }),
    sentAt: Math.floor(Number(ts) * 1000),
    // What an address or a program says is not the word of who sent it.
    ...(attachedTo(event).length > 0 && { marks: { integrity: "untrusted" } }),
    ...quotesIn(event, around),
    ...(unnamed.length > 0 && { unnamed }),
    text,
    files: recordsOf(event["files"]).map(fileOf),
    thread: wantsThread ? ts : thread,
    opens: wantsThread,
  };
}

/** A message that was shared, which Slack attaches: the first one is what this one is about. */
function sharedIn(event: Wire): Wire | undefined {
  return recordsOf(event["attachments"]).find((one) => one["is_msg_unfurl"] === true || one["is_share"] === true);
}

function attachedTo(event: Wire): readonly Wire[] {
  const shared = sharedIn(event);
  return recordsOf(event["attachments"]).filter((one) => one !== shared);
}

function quotesIn(event: Wire, around: Surroundings): Pick<Read, "quotes"> {
  const shared = sharedIn(event);
  if (shared === undefined) return {};
  const text = wordsOf(textOf(shared["text"]) ?? textOf(shared["fallback"]) ?? "", wordsFor(around));
  const id = textOf(shared["author_id"]) ?? "elsewhere";
  const name = textOf(shared["author_name"]);
  const from: Sender = { id, kind: "person", ...(name !== undefined && { name }) };
  const key = `${textOf(shared["channel_id"]) ?? ""}:${textOf(shared["ts"]) ?? ""}`;
  return { quotes: { key, own: id === around.me.user, from, ...(text !== "" && { text }) } };
}

function wordsFor({ me }: Surroundings): Parameters<typeof wordsOf>[1] {
  return { us: me.user, name: me.name };
}

function textOfMessage(event: Wire, around: Surroundings): string {
  const words = wordsFor(around);
  const own = wordsOf(textOf(event["text"]) ?? "", words);
  const attached = attachedTo(event).flatMap((one) => {
    const said = textOf(one["text"]) ?? (own === "" ? textOf(one["fallback"]) : undefined);
    // Somebody else's words.
    return said === undefined ? [] : [["[Attached]", ...wordsOf(said, words).split("\n")].join("\n> ")];
  });
  return [own, ...attached].filter((line) => line !== "").join("\n");
}

/** Undefined: it is said to all. A thread that we, or a question to us, opened is a talk with us. */
function addressedOf(
  event: Wire,
  thread: string | undefined,
  { me, isOurs }: Surroundings,
): InboundMessage["addressed"] {
  const text = textOf(event["text"]) ?? "";
  if (event["type"] === "app_mention" || new RegExp(`<@${me.user}[|>]`).test(text)) return "named";
  if (/^\s*<@[A-Z0-9]+[|>]/.test(text)) return "other";
  return thread !== undefined && (event["parent_user_id"] === me.user || isOurs(thread)) ? "reply" : undefined;
}

/** Where it lies; by its id, where Slack tells more when it is asked; or nowhere that is Slack's. */
export function fileOf(file: Wire): SentFile {
  const isElsewhere =
    file["is_external"] === true || ["external", "tombstone", "hidden_by_limit"].includes(String(file["mode"]));
  const url = isElsewhere ? undefined : (textOf(file["url_private_download"]) ?? textOf(file["url_private"]));
  const id = textOf(file["id"]) ?? "";
  const isHidden = file["file_access"] === "check_file_info";
  const isClip = file["subtype"] === "slack_audio";
  const mediaType = textOf(file["mimetype"]) ?? (isClip ? "audio/mp4" : "application/octet-stream");
  return {
    file: id,
    name: textOf(file["name"]) ?? textOf(file["title"]) ?? "file",
    locator: isHidden ? { id } : { ...(url !== undefined && { url }) },
    bytes: Number(file["size"] ?? 0),
    // Slack calls a clip a video without a picture.
    mediaType: isClip ? mediaType.replace(/^video\//, "audio/") : mediaType,
    ...(isClip && { voice: true as const }),
  };
}
