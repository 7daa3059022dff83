/** One message, live or found later: read, accepted, and only then behind us. */
import type { Accepted, ChannelHost, ChannelInbox, ContentPart, Sender } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Chats, Place } from "./chats.ts";
import type { Content } from "./content.ts";
import { fetchFiles, unfetched } from "./fetch-files.ts";
import { addressedOf, type Me, type Said, wordsOf } from "./message.ts";
import type { People } from "./people.ts";
import { say } from "./send.ts";
import type { Settings } from "./settings.ts";

/** One app of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly settings: Settings;
  readonly api: Api;
  readonly chats: Chats;
  readonly people: People;
  readonly host: ChannelHost;
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

/** @returns whether it was new. @throws a fault, or what `inbox.accept` throws: it is to be offered again. */
export async function takeMessage(said: Said, taking: Taking): Promise<boolean> {
  const { account, taken } = taking;
  const { id, thread, chat, isPrivate, content, from } = said;
  if (taken.has(id)) return false;
  for (const mention of said.mentions) account.people.learn(mention.id, mention.name);
  account.people.wrote(id, from.id);
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
  const isAsked = !isPrivate && parent !== undefined;
  const [name, answered] = await Promise.all([
    people.nameOf(said.from.id, signal),
    isAsked ? people.authorOf(parent, signal) : undefined,
  ]);
  const addressed = isPrivate ? undefined : addressedOf(said, me, answered);
  const from: Sender = {
    id: said.from.id,
    kind: "person",
    ...(name !== undefined && { name }),
    ...(said.from.isBot && { bot: true }),
  };
  const facts = {
    key: id,
    origin,
    from,
    chat: isPrivate ? "private" : "group",
    ...(addressed !== undefined && { addressed }),
    sentAt: at,
  } as const;
  const isAdmitted = content.files.length === 0 || (await inbox.admits(facts));
  const { media, lines } = isAdmitted ? await fetchFiles(id, content.files, account, signal) : unfetched(content.files);
  const text = [wordsOf(said, me), ...lines].filter((line) => line.trim() !== "").join("\n");
  const parts: ContentPart[] = [...(text === "" ? [] : [{ type: "text", text } as const]), ...media];
  if (parts.length === 0) return false;
  signal.throwIfAborted();
  const accepted = await inbox.accept({ ...facts, parts });
  if (accepted.status === "refused") await answerRefused(accepted, said, taking);
  if (accepted.status === "duplicate") host.log.debug("feishu.again", { message: id });
  return accepted.status === "accepted";
}

async function answerRefused(
  { reason, until, answer }: Extract<Accepted, { status: "refused" }>,
  { id, chat, isPrivate }: Said,
  { account, signal }: Taking,
): Promise<void> {
  const { host } = account;
  // There will be room, or the stop is taken back: Feishu keeps it.
  if (until !== undefined) throw host.fault("again", `${reason}. The message waits at Feishu.`);
  if (answer === undefined || !isPrivate) return;
  const to = { channel: account.id, chat };
  await say({ type: "plain", text: answer }, { to, key: `refused:${id}` }, account, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.warn("feishu.answer-failed", { message: error instanceof Error ? error.message : String(error) });
  });
}
