/** Reads what people write: acknowledges what was accepted, and asks for what was missed. */
import type { ChannelInbox, ChatLanes } from "@margay/core/plugin";
import { backfillOf } from "./backfill.ts";
import { takePress } from "./buttons.ts";
import { openCalls } from "./line/calls.ts";
import { faultOf, isAuth } from "./faults.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import { openLine, type Told } from "./line/line.ts";
import type { Envelope } from "./line/socket.ts";
import type { Account, Taking } from "./account.ts";
import { takeReaction } from "./reactions.ts";
import { takeCommand, takeMessage } from "./take.ts";

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const { host } = account;
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const controls = queue();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // whoever waits for it has it
  let lanes: ChatLanes | undefined;
  let isAsking = false;
  try {
    const me = await account.who(both);
    const taking: Taking = { account, inbox, signal: both, me, taken: new Set(), oneByOne: queue() };
    const chats = (lanes = host.lanes(backfillOf(taking), failed.reject, both));
    const catchUp = async (): Promise<void> => {
      isAsking = true;
      await chats.catchUp();
      isAsking = false;
    };
    const up = (isWhole: boolean): void => {
      host.up(me.name);
      if (isWhole) return;
      // A gap while the last one is asked for: all of it is asked for anew.
      if (isAsking) return failed.reject(gapAgain(account));
      catchUp().catch(failed.reject);
    };
    const isCalled = account.settings.mode === "http";
    using line = isCalled ? openCalls(account, both) : openLine(account, up, both);
    if (isCalled) {
      account.sends.refused = (error) => {
        if (isAuth(error)) account.api.call("auth.test", {}, both).catch(failed.reject);
      };
      up(false);
    }
    for (;;) takeTold(await Promise.race([line.next(), failed.promise]), taking, { chats, controls, failed });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  } finally {
    account.sends.refused = undefined;
    await controls(async () => {}); // Slack tells them once
    over.abort(new Error("the run is over"));
    await lanes?.over(); // what failed was thrown above
  }
}

function gapAgain({ host }: Account): Error {
  return host.fault("again", "The connection to Slack ended again, too early. It is made anew.", { sent: "no" });
}

interface Ways {
  readonly chats: ChatLanes;
  readonly controls: Taking["oneByOne"];
  readonly failed: PromiseWithResolvers<never>;
}

function takeTold({ envelope, acknowledge }: Told, taking: Taking, { chats, controls, failed }: Ways): void {
  const taken = (): Promise<void> => take(envelope, taking).then(acknowledge);
  // Whoever pressed a button or typed a command waits for three seconds, and not for the file of a message before it.
  if (envelope.type !== "events_api") return void controls(taken).catch(failed.reject);
  const before = controls(async () => {});
  void chats.run(textOf(eventOf(envelope)["channel"]) ?? "", () => before.then(taken));
}

function eventOf({ payload }: Envelope): Wire {
  return isRecord(payload["event"]) ? payload["event"] : {};
}

async function take(envelope: Envelope, taking: Taking): Promise<void> {
  const { type, payload } = envelope;
  if (type === "interactive") return takePress(payload, taking);
  if (type === "slash_commands") return takeCommand(payload, taking);
  const event = type === "events_api" ? eventOf(envelope) : {};
  if (event["type"] === "reaction_added") await takeReaction(event, taking);
  else if (event["type"] === "message" || event["type"] === "app_mention") await takeMessage(event, taking);
}

/** One after the other, whatever became of the one before. */
function queue(): Taking["oneByOne"] {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act, act);
    last = mine.catch(() => {}); // whoever asked has it
    return mine;
  };
}
