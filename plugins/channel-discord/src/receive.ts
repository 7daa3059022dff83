/** Reads what people write: takes up the session behind what was accepted, or begins anew and asks for what was missed. */
import type { ChannelInbox } from "@margay/core/plugin";
import { backfillOf } from "./backfill.ts";
import { commandOf, takeCommand } from "./commands.ts";
import { type Cursor, cursorOf } from "./cursor.ts";
import { faultOf } from "./faults.ts";
import { Closed, type Dispatch, openGateway } from "./gateway.ts";
import { interactionOf } from "./interactions.ts";
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import { buttonOf, takePress } from "./press.ts";
import { Progress } from "./progress.ts";
import { takeReaction } from "./reactions.ts";
import { type Account, takeDeletion, takeEdit, takeMessage, type Taking } from "./take.ts";

const INTENTS = {
  guilds: 1,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  messageContent: 1 << 15,
} as const;
/** Numbers of Discord, of what somebody did. */
const COMMAND = 2;
const MESSAGE_COMPONENT = 3;
/** A session that was alone for longer is not to be trusted to have kept everything. */
const GAP_MS = 30_000;
/** After so many connections that did not come about another address is asked for. */
const MAX_FAILURES = 3;
/** What a run learns of its connections. */
interface Run {
  failures: number;
}

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal, run: Run): Promise<void> {
  try {
    for (;;) await connection(account, inbox, signal, run);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Closed ? closedFault(error, account) : faultOf(error, account.host);
  }
}

/** Returns when Discord asks for another connection. @throws Closed, and all that goes wrong meanwhile. */
async function connection(account: Account, inbox: ChannelInbox, signal: AbortSignal, run: Run): Promise<void> {
  const { host, chats, settings } = account;
  const known = cursorOf(host);
  // Where the session was to be taken up nobody answers, and elsewhere somebody does.
  const isLost = known !== undefined && run.failures >= MAX_FAILURES;
  const url = known === undefined || isLost ? await gatewayUrl(account, signal) : known.resumeUrl;
  let cursor = isLost ? undefined : known;
  let isUp = false;
  const before = chats.kept();
  const taken = new Set<string>();
  using link = openGateway(addressOf(url, account), helloOf(settings.token, cursor), host, signal);
  let progress = new Progress(cursor?.seq ?? 0);
  const commit = async (): Promise<void> => {
    if (cursor === undefined) return;
    cursor = { ...cursor, seq: progress.seq, at: host.clock.now() };
    await host.state.setCursor({ ...cursor });
  };
  const taking = (me: string, until = signal): Taking => ({ account, inbox, signal: until, me, taken });
  // What comes live waits for it.
  const catchUp = async (me: string): Promise<void> => {
    const end = new AbortController();
    const until = AbortSignal.any([signal, end.signal]);
    const lanes = host.lanes(backfillOf(before, taking(me, until)), (error) => end.abort(error), until);
    try {
      await lanes.catchUp();
    } finally {
      await lanes.over();
    }
  };
  const take = async ({ type, seq, data }: Dispatch): Promise<void> => {
    if (type === "READY") {
      const begun = sessionOf(data, seq);
      host.up(begun.name);
      // Noted only behind what was missed: who ends here begins here again.
      await catchUp(begun.me);
      cursor = { ...begun, at: host.clock.now() };
      progress = new Progress(seq);
    } else if (type === "RESUMED" && cursor !== undefined) {
      host.up(cursor.name);
      if (host.clock.now() - cursorAt > GAP_MS) await catchUp(cursor.me);
      // All that there was has come again: what is missing up to here never comes.
      progress = new Progress(seq);
    } else if (cursor === undefined) return;
    else if (type === "MESSAGE_CREATE") await takeMessage(data, taking(cursor.me));
    else if (type === "MESSAGE_UPDATE") await takeEdit(data, taking(cursor.me));
    else if (type === "MESSAGE_DELETE" || type === "MESSAGE_DELETE_BULK") await takeDeletion(data, taking(cursor.me));
    else if (type === "MESSAGE_REACTION_ADD") await takeReaction(data, taking(cursor.me));
    else if (type === "INTERACTION_CREATE") await takeInteraction(data, taking(cursor.me));
    else chats.hear(type, data, cursor.me);
    isUp ||= type === "READY" || type === "RESUMED";
    progress.done(seq);
    // A message that was accepted is behind us at once; of what else comes in a burst the last is enough.
    if (type === "MESSAGE_CREATE" || link.isIdle()) await commit();
  };
  const cursorAt = cursor?.at ?? 0;
  try {
    for (;;) await take(await link.next());
  } catch (error) {
    await commit();
    if (!(error instanceof Closed)) throw error;
    run.failures = isUp || error.code !== undefined ? 0 : run.failures + 1;
    if (!error.isResumable) await host.state.setCursor({});
    if (!error.isAsked || !isUp) throw error;
  }
}

/** Somebody pressed a button, or chose a command. @throws a fault, or what the inbox throws. */
async function takeInteraction(data: Wire, taking: Taking): Promise<void> {
  let act: (() => Promise<void>) | undefined;
  try {
    const [type, found] = [data["type"], interactionOf(data)];
    const [button, command] = [
      type === MESSAGE_COMPONENT ? buttonOf(found) : undefined,
      type === COMMAND ? commandOf(found) : undefined,
    ];
    if (button !== undefined) act = () => takePress(found, button, taking);
    else if (command !== undefined) act = () => takeCommand(found, command, taking);
  } catch (error) {
    taking.account.host.deadLetter(JSON.stringify(data), error);
  }
  await act?.();
}

/** Where sockets are opened: asked before each new session, as its numbers are limited. */
async function gatewayUrl({ rest, host }: Account, signal: AbortSignal): Promise<string> {
  const answer = await rest.call("GET", "/gateway/bot", { signal });
  const { url, session_start_limit: limit } = isRecord(answer) ? answer : {};
  if (isRecord(limit) && limit["remaining"] === 0)
    throw host.fault(
      "again",
      "The bot has begun as many sessions as Discord allows in a day. It connects when there are some again; another program may use the same token.",
      { sent: "no", retryAfterMs: Number(limit["reset_after"] ?? 0) },
    );
  return needed(url, "url");
}

/** The token goes there: to Discord encrypted, or to where the settings say. */
function addressOf(url: string, { settings, host }: Account): string {
  const address = URL.parse(url);
  const own = new URL(settings.baseUrl);
  const isOwn = own.protocol === "http:" && address?.protocol === "ws:" && address.host === own.host;
  if (address?.protocol === "wss:" || isOwn) return url;
  throw host.fault(
    "again",
    `The gateway of Discord is said to be at ${url}, which is not safe. It is asked for again.`,
  );
}

function helloOf(token: string, cursor: Cursor | undefined): Wire {
  if (cursor !== undefined) return { op: 6, d: { token, session_id: cursor.session, seq: cursor.seq } };
  const intents = Object.values(INTENTS).reduce((sum, bit) => sum | bit, 0);
  return { op: 2, d: { token, intents, properties: { os: "linux", browser: "margay", device: "margay" } } };
}

/** @throws TypeError for what is no READY. */
function sessionOf(data: Wire, seq: number): Omit<Cursor, "at"> {
  const user = isRecord(data["user"]) ? data["user"] : {};
  return {
    session: needed(data["session_id"], "session_id"),
    resumeUrl: needed(data["resume_gateway_url"], "resume_gateway_url"),
    seq,
    me: needed(user["id"], "user.id"),
    name: textOf(user["username"]) ?? "",
  };
}

function closedFault({ code, message }: Closed, { host }: Account): Error {
  const no = { sent: "no" } as const;
  switch (code) {
    case 4004:
      return host.fault(
        "auth",
        "Discord does not know this bot (4004). Reset its token in the developer portal and set it again.",
        no,
      );
    case 4014:
      return host.fault(
        "config",
        "Discord does not let the bot read messages (4014). Switch on MESSAGE CONTENT INTENT on the page Bot of the developer portal.",
        no,
      );
    case 4013:
      return host.fault(
        "config",
        `Discord knows no such intents (4013): ${Object.keys(INTENTS).join(", ")}. Update margay, or look at baseUrl.`,
        no,
      );
    case 4010:
    case 4011:
    case 4012:
      return host.fault("config", `Discord does not take this connection: ${message}. Use a bot of fewer servers.`, no);
    default:
      return host.fault("again", `The connection to Discord ended: ${message}. It is made anew.`, no);
  }
}
