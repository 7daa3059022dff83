/** Reads what people write: acknowledges what was accepted, and asks for what was missed. */
import type { ChannelInbox } from "@margay/core/plugin";
import { backfill } from "./backfill.ts";
import { takePress } from "./buttons.ts";
import { openCalls } from "./calls.ts";
import { faultOf, isAuth } from "./faults.ts";
import { isRecord } from "./json.ts";
import { type Line, openLine } from "./line.ts";
import type { Envelope } from "./socket.ts";
import type { Account, Taking } from "./account.ts";
import { takeCommand, takeMessage } from "./take.ts";

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const controls = queue();
  let asking: Promise<unknown> | undefined;
  try {
    const me = await account.who(both);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {}); // whoever waits for it has it
    const taking: Taking = { account, inbox, signal: both, me, taken: new Set(), oneByOne: queue() };
    const up = (isWhole: boolean): void => {
      account.host.up(me.name);
      if (isWhole) return;
      // A gap while the last one is asked for: all of it is asked for anew.
      if (asking !== undefined) return failed.reject(gapAgain(account));
      asking = backfill(account.places.kept(), taking).then(() => (asking = undefined));
      asking.catch(failed.reject);
    };
    const isCalled = account.settings.mode === "http";
    using line = isCalled ? openCalls(account, both) : openLine(account, up, both);
    if (isCalled) {
      account.sends.refused = (error) => {
        if (isAuth(error)) account.api.call("auth.test", {}, both).catch(failed.reject);
      };
      up(false);
    }
    await takeAll(line, taking, { failed, controls });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, account.host);
  } finally {
    account.sends.refused = undefined;
    await controls(async () => {}); // Slack tells them once
    over.abort(new Error("the run is over"));
    await asking?.catch(() => {}); // its failure was thrown above
    account.places.letGo();
  }
}

function gapAgain({ host }: Account): Error {
  return host.fault("again", "The connection to Slack ended again, too early. It is made anew.", { sent: "no" });
}

/** Each in its order, until one fails. @throws what went wrong. */
async function takeAll(
  line: Line,
  taking: Taking,
  { failed, controls }: { readonly failed: PromiseWithResolvers<never>; readonly controls: Taking["oneByOne"] },
): Promise<never> {
  let events: Promise<unknown> = Promise.resolve();
  for (;;) {
    const { envelope, acknowledge } = await Promise.race([line.next(), failed.promise]);
    const taken = (): Promise<void> => take(envelope, taking).then(acknowledge);
    if (envelope.type === "events_api") {
      const before = controls(async () => {});
      // Behind one that failed nothing is taken.
      events = events.then(() => before).then(taken);
      events.catch(failed.reject);
    }
    // Whoever pressed a button or typed a command waits for three seconds, and not for the file of a message before it.
    else controls(taken).catch(failed.reject);
  }
}

async function take({ type, payload }: Envelope, taking: Taking): Promise<void> {
  if (type === "interactive") return takePress(payload, taking);
  if (type === "slash_commands") return takeCommand(payload, taking);
  const event = type === "events_api" && isRecord(payload["event"]) ? payload["event"] : {};
  if (event["type"] === "message" || event["type"] === "app_mention") await takeMessage(event, taking);
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
