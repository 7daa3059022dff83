/** One message, live or found later: read, accepted, and only then behind us. */
import type { ContentPart } from "@margay/core/plugin";
import type { Account, Taking } from "./account.ts";
import { privateChat } from "./address.ts";
import { messageOf, Refusal } from "./api.ts";
import { isSlow } from "./faults.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import { placeIn, type Read, readMessage } from "./message.ts";
import type { Place } from "./places.ts";
import { say } from "./send.ts";

const MAX_TAKEN = 5000;

/** @throws a fault, or what `inbox.accept` throws: it is to be offered again. */
export function takeMessage(event: Wire, taking: Taking): Promise<void> {
  if (event["subtype"] === "message_changed") return taking.oneByOne(() => takeEdit(event, taking));
  if (event["subtype"] === "message_deleted") return taking.oneByOne(() => takeDeletion(event, taking));
  return taking.oneByOne(() => takeNow(event, taking));
}

async function takeNow(event: Wire, taking: Taking): Promise<void> {
  const { account, taken } = taking;
  const { places } = account;
  const found = await readAt(event, taking);
  if (found === undefined || taken.has(found.read.key)) return;
  const { read, place, ts } = found;
  await places.begin(place, ts);
  await openThread(found, taking);
  await offer(read, undefined, place.channel, taking);
  if (taken.size >= MAX_TAKEN) taken.clear();
  taken.add(read.key);
  await places.note(place, ts);
}

/** Its author has changed it. Slack tells as much when it has looked at an address: nothing was changed then. */
async function takeEdit(event: Wire, taking: Taking): Promise<void> {
  const message = isRecord(event["message"]) ? event["message"] : {};
  // What has replies is not gone: a stone stands in its place.
  if (message["subtype"] === "tombstone") return takeDeletion({ ...event, deleted_ts: message["ts"] }, taking);
  const edited = isRecord(message["edited"]) ? textOf(message["edited"]["ts"]) : undefined;
  if (edited === undefined) return;
  const { channel, channel_type: type } = event;
  const found = await readAt({ type: "message", ...message, channel, channel_type: type }, taking);
  if (found === undefined) return;
  await openThread(found, taking);
  await offer(found.read, edited, found.place.channel, taking);
}

async function openThread({ read, place, ts }: Found, { account }: Taking): Promise<void> {
  if (read.opens) await account.places.begin({ channel: place.channel, thread: ts }, ts, true);
}

/** Who took it away Slack does not say: its author, or who may there. */
async function takeDeletion(event: Wire, { account, inbox }: Taking): Promise<void> {
  const [chat, ts] = [textOf(event["channel"]), textOf(event["deleted_ts"])];
  if (chat === undefined || ts === undefined) return;
  const before = isRecord(event["previous_message"]) ? event["previous_message"] : {};
  const root = textOf(before["thread_ts"]);
  const thread = root === ts ? undefined : root;
  const origin = { channel: account.id, chat, ...(thread !== undefined && { thread }) };
  await inbox.removed({ of: `${chat}:${ts}`, origin });
}

interface Found {
  readonly read: Read;
  readonly place: Place;
  readonly ts: string;
}

/** Undefined: it is no talk, or nobody can read it. */
async function readAt(event: Wire, { account, me, signal }: Taking): Promise<Found | undefined> {
  const { places, host, settings } = account;
  signal.throwIfAborted();
  try {
    const found = placeIn(event, me);
    if (found === undefined) return undefined;
    const { channel, thread, ts } = found;
    const read = readMessage(event, {
      me,
      replyInThread: settings.replyInThread,
      isOurs: (one) => places.isOurs({ channel, thread: one }),
    });
    return { read, place: { channel, thread }, ts };
  } catch (error) {
    signal.throwIfAborted();
    // A form of message that nobody foresaw: all the others come.
    host.deadLetter(JSON.stringify(event), error);
    return undefined;
  }
}

/** @param edited when its author has changed it; undefined: it is new */
async function offer(read: Read, edited: string | undefined, channel: string, taking: Taking): Promise<void> {
  const { account, inbox, signal } = taking;
  const { text, thread, opens: _, ...facts } = read;
  const origin = { channel: account.id, chat: channel, ...(thread !== undefined && { thread }) };
  const parts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  if (parts.length + facts.files.length === 0) return;
  signal.throwIfAborted();
  const { key, sentAt: __, ...change } = facts;
  const accepted =
    edited === undefined
      ? await inbox.accept({ ...facts, origin, parts })
      : await inbox.edited({ ...change, origin, parts, key: `${key}:${edited}`, edits: key });
  if (accepted.status !== "refused") return;
  const { host } = account;
  const tell = teller({ channel, thread }, key, taking);
  await host.refused(accepted, { chat: read.chat, where: "at Slack", say: tell, signal });
}

function teller(to: Place, key: string, { account, signal }: Taking): (text: string) => Promise<string> {
  return (text) => say({ to, text, isMarkup: false, reply: `refused:${key}` }, account, signal);
}

/**
 * `/margay help` is `/help`. It is no message of a chat: in a private chat of two people it goes to that of who typed it with us.
 * @throws a fault, or what `inbox.accept` throws.
 */
export async function takeCommand(payload: Wire, taking: Taking): Promise<void> {
  const { account, inbox, signal } = taking;
  const { id, host } = account;
  const [user, place, trigger] = ["user_id", "channel_id", "trigger_id"].map((name) => textOf(payload[name]));
  if (user === undefined || place === undefined || trigger === undefined)
    return host.deadLetter(JSON.stringify(payload), new TypeError("a command without its user, chat or trigger"));
  const isPrivate = place.startsWith("D");
  const channel = isPrivate ? await chatWith(user, place, account, signal) : place;
  const text = (textOf(payload["text"]) ?? "help").trim();
  const [key, chat] = [`command:${trigger}`, isPrivate ? "private" : "group"] as const;
  const accepted = await inbox.accept({
    key,
    origin: { channel: id, chat: channel },
    from: { id: user, kind: "person" },
    unnamed: [user],
    parts: [{ type: "text", text: text.startsWith("/") ? text : `/${text}` }],
    chat,
    ...(!isPrivate && { addressed: "command" as const }),
  });
  if (accepted.status !== "refused") return;
  // Slack tells a command once: there is nothing to wait for, and whoever typed it is told so.
  const { until: _, ...refused } = accepted;
  await host.refused(refused, { chat, where: "at Slack", say: teller({ channel }, key, taking), signal });
}

/** Theirs with us. Where none can be opened it is taken for the one it was typed in: in any other one we cannot write. */
async function chatWith(user: string, typedIn: string, { api, host }: Account, signal: AbortSignal): Promise<string> {
  try {
    return await privateChat(user, api, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || isSlow(error)) throw error;
    host.log.warn("slack.chat-not-opened", { user, message: messageOf(error) });
    return typedIn;
  }
}
