/** One message, live or found later: read, accepted, and only then behind us. */
import type { ChannelHost, ChannelInbox, ContentPart, InboundMessage, Sender } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Chats, Place } from "./chats.ts";
import { type Content, sentFiles } from "./content.ts";
import { textOf, type Wire } from "./json.ts";
import { addressedOf, type Me, readItem, type Said, wordsOf } from "./message.ts";
import type { People, Wrote } from "./people.ts";
import { say } from "./send.ts";
import type { Settings } from "./settings.ts";
import type { StreamCards } from "./streams.ts";

/** One app of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly settings: Settings;
  readonly api: Api;
  readonly chats: Chats;
  readonly people: People;
  readonly streams: StreamCards;
  readonly host: ChannelHost;
  /** Who is called learns of a secret that holds no more by a send alone. */
  readonly sends: { refused?: ((error: unknown) => void) | undefined };
}

/** One connection, and whom it speaks for. */
export interface Taking {
  readonly account: Account;
  readonly inbox: ChannelInbox;
  readonly signal: AbortSignal;
  readonly me: Me;
  /** Messages that were taken on this connection: they come live, again, and from the history. */
  readonly taken: Set<string>;
}

const MAX_TAKEN = 5000;
type Quote = NonNullable<InboundMessage["quotes"]>;

/** @returns whether it was new. @throws a fault, or what `inbox.accept` throws: it is to be offered again. */
export async function takeMessage(said: Said, taking: Taking): Promise<boolean> {
  const { account, taken } = taking;
  const { id, thread, chat, isPrivate, content, from } = said;
  if (taken.has(id)) return false;
  for (const mention of said.mentions) account.people.learn(mention.id, mention.name);
  account.people.wrote(id, wroteBy(said, taking.me));
  const isNew = content !== undefined && !from.isUs && (await accept(said, content, taking));
  if (taken.size >= MAX_TAKEN) taken.clear();
  taken.add(id);
  const places = new Map<string, Place>([[chat, { chat, isPrivate }]]);
  if (thread !== undefined) places.set(thread.id, { chat, isPrivate, root: thread.root });
  await account.chats.note(said, places, thread?.root === id ? undefined : thread?.id);
  return isNew;
}

async function accept(said: Said, content: Content, taking: Taking): Promise<boolean> {
  const { account, inbox, signal, me } = taking;
  const { people, host } = account;
  const { id, chat, isPrivate, thread, at, parent } = said;
  const origin = { channel: account.id, chat, ...(thread !== undefined && { thread: thread.root }) };
  // In a topic everything answers the message that opened it.
  const isAsked = parent !== undefined && !(isPrivate && parent === thread?.root);
  // Whose words they are says whether it is for us.
  const answered = isAsked
    ? await people.whatIs(parent, (item) => wroteBy(readItem({ chat_id: chat, ...item }, me, isPrivate), me), signal)
    : undefined;
  const addressed = isPrivate ? undefined : addressedOf(said, me, answered?.author);
  const from: Sender = {
    id: said.from.id,
    kind: "person",
    ...(said.from.isBot && { bot: true }),
  };
  const quotes =
    answered === undefined || parent === undefined || parent === thread?.root
      ? undefined
      : quoteOf(parent, answered, me);
  const unnamed = [from, ...(quotes?.own === false ? [quotes.from] : [])].map((one) => one.id);
  const facts = {
    key: id,
    origin,
    from,
    chat: isPrivate ? "private" : "group",
    ...(addressed !== undefined && { addressed }),
    ...(quotes !== undefined && { quotes }),
    unnamed: [...new Set(unnamed)].filter((one) => one.startsWith("ou_")),
    sentAt: at,
  } as const;
  const text = wordsOf(said, me);
  const parts: ContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  const files = sentFiles(id, content.files);
  if (parts.length + files.length === 0) return false;
  signal.throwIfAborted();
  const accepted = await inbox.accept({ ...facts, parts, files });
  if (accepted.status === "refused") {
    const aim = { to: { channel: account.id, chat }, key: `refused:${id}` };
    const tell = (answer: string): Promise<string> => say({ type: "plain", text: answer }, aim, account, signal);
    await host.refused(accepted, { chat: facts.chat, where: "at Feishu", say: tell, signal });
  }
  if (accepted.status === "duplicate") host.log.debug("feishu.again", { message: id });
  return accepted.status === "accepted";
}

function wroteBy(said: Said, me: Me): Wrote {
  return { author: said.from.id, text: wordsOf(said, me), files: said.content?.files ?? [] };
}

function quoteOf(key: string, { author, text, files }: Wrote, me: Me): Quote {
  const own = author === me.openId || author === me.appId;
  const from: Sender = { id: author, kind: "person" };
  const quote = { key, own, from, ...(text !== undefined && text !== "" && { text }) };
  return own || files.length === 0 ? quote : { ...quote, files: sentFiles(key, files) };
}

/** Taken back, by its author or by who may there. @param event of `im.message.recalled_v1`. @throws as {@link takeMessage}. */
export async function takeRecall(event: Wire, { account, inbox }: Taking): Promise<void> {
  const [of, chat] = [textOf(event["message_id"]), textOf(event["chat_id"])];
  if (of !== undefined && chat !== undefined) await inbox.removed({ of, origin: { channel: account.id, chat } });
}
