/** Hears what happens, over the long connection or by calls; each thing is acknowledged when it cannot be lost any more. */
import type { ChannelInbox, ChatLanes } from "@margay/core/plugin";
import { backfillOf } from "./backfill.ts";
import { openCalls } from "./line/calls.ts";
import { faultOf, isAuth } from "./faults.ts";
import { isRecord, textOf } from "./json.ts";
import { readEvent, type Said } from "./message.ts";
import { takePress } from "./press.ts";
import { takeReaction } from "./reactions.ts";
import { Closed, type Delivery, openLink } from "./line/socket.ts";
import { type Account, takeMessage, takeRecall, type Taking } from "./take.ts";
import { whoAmI } from "./who.ts";

/** What a run learns of the connection before. */
export interface Run {
  from: number;
  to: number;
}

/** What was not delivered so long before a connection ended went to somebody else. */
const LATE_MS = 20_000;

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal, run: Run): Promise<void> {
  const { host } = account;
  try {
    await connection(account, inbox, signal, run);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Closed)) throw faultOf(error, host);
    throw host.fault("again", `The connection to Feishu ended: ${error.message}. It is made anew.`, { sent: "no" });
  }
}

async function connection(account: Account, inbox: ChannelInbox, outer: AbortSignal, run: Run): Promise<void> {
  const { host, api, chats, settings } = account;
  const { name, openId } = await whoAmI(account, outer);
  const isCalled = settings.mode === "http";
  const endpoint = isCalled ? undefined : await api.endpoint(outer);
  const end = new AbortController();
  const signal = AbortSignal.any([outer, end.signal]);
  // Who is called cannot tell what went to somebody else from what came too late.
  const before = isCalled ? { from: 0, to: 0 } : { ...run };
  using link =
    endpoint === undefined
      ? openCalls(account, signal)
      : openLink({ url: checked(endpoint.url, account), pingMs: endpoint.pingMs }, host, signal);
  const taking: Taking = { account, inbox, signal, me: { appId: settings.appId, openId }, taken: new Set() };
  const backfill = backfillOf(chats.kept(), taking, elsewhere(account, before));
  const lanes = host.lanes(
    backfill,
    (error) => end.abort(error instanceof Error ? error : new Error(String(error))),
    signal,
  );
  if (isCalled)
    account.sends.refused = (error) => {
      // It may be a permission alone.
      if (isAuth(error)) whoAmI(account, signal).catch((reason: unknown) => end.abort(reason));
    };
  try {
    await link.ready;
    host.up(name);
    run.from = host.clock.now();
    void lanes.catchUp(); // what comes live in a chat waits for what was missed there
    for (;;) take(await link.next(), taking, lanes);
  } finally {
    account.sends.refused = undefined;
    run.to = host.clock.now();
    end.abort(new Error("the connection is over"));
    await lanes.over();
  }
}

/** Who is told of what was missed, and tells once where it came while we were there. */
function elsewhere({ host }: Account, before: Run): (said: Said) => void {
  let isTold = false;
  return ({ at, chat }) => {
    if (isTold || at < before.from || at > before.to - LATE_MS) return;
    isTold = true;
    const message =
      "A message did not come although the connection stood. Another program may use the same app: end it.";
    host.degraded(message);
    host.log.warn("feishu.events-elsewhere", { chat, message });
  };
}

function take(delivery: Delivery, taking: Taking, lanes: ChatLanes): void {
  const { host } = taking.account;
  const header = isRecord(delivery.event["header"]) ? delivery.event["header"] : {};
  const event = isRecord(delivery.event["event"]) ? delivery.event["event"] : {};
  const type = textOf(header["event_type"]);
  const id = textOf(header["event_id"]) ?? "";
  if (type === "im.message.receive_v1") {
    let said: Said;
    try {
      said = readEvent(event, taking.me);
    } catch (error) {
      // A form of message that nobody foresaw: all the others come.
      host.deadLetter(JSON.stringify(delivery.event), error);
      return delivery.taken();
    }
    void lanes.run(said.chat, async () => {
      await takeMessage(said, taking);
      delivery.taken();
    });
  } else if (type === "im.message.recalled_v1")
    void lanes.run(textOf(event["chat_id"]) ?? "", async () => {
      await takeRecall(event, taking);
      delivery.taken();
    });
  else if (type === "im.message.reaction.created_v1")
    void lanes.run(`reaction:${textOf(event["message_id"]) ?? ""}`, async () => {
      await takeReaction(event, taking);
      delivery.taken();
    });
  else if (type === "card.action.trigger")
    // Whoever pressed waits for three seconds, and not for what is done in the chat.
    void lanes.run(`press:${id}`, async () => delivery.taken(await takePress(id, event, taking)));
  else delivery.taken();
}

/** It holds a ticket: to Feishu encrypted, or to where the settings say. @throws a fault. */
function checked(url: string, { settings, host }: Account): string {
  const address = URL.parse(url);
  const own = new URL(settings.baseUrl);
  const isOwn = own.protocol === "http:" && address?.protocol === "ws:" && address.host === own.host;
  if (address?.protocol === "wss:" || isOwn) return url;
  throw host.fault(
    "again",
    `The connection of Feishu is said to be at ${address?.host ?? "no address"}, which is not safe. It is asked for again.`,
  );
}
