/** Reads what people write: acknowledges what was accepted, and asks for what was missed. */
import type { ChannelInbox } from "@margay/core/plugin";
import { backfill } from "./backfill.ts";
import { takePress } from "./buttons.ts";
import { faultOf } from "./faults.ts";
import { isRecord } from "./json.ts";
import { type Line, openLine } from "./line.ts";
import type { Envelope } from "./socket.ts";
import type { Account, Taking } from "./account.ts";
import { takeCommand, takeMessage } from "./take.ts";

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  let asking: Promise<unknown> | undefined;
  try {
    const me = await account.who(both);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {}); // whoever waits for it has it
    const taking: Taking = { account, inbox, signal: both, me, taken: new Set(), oneByOne: queue() };
    using line = openLine(
      account,
      (isWhole) => {
        account.host.up(me.name);
        if (isWhole) return;
        // A gap while the last one is asked for: all of it is asked for anew.
        if (asking !== undefined) return failed.reject(gapAgain(account));
        asking = backfill(account.places.kept(), taking).then(() => (asking = undefined));
        asking.catch(failed.reject);
      },
      both,
    );
    for (;;) await takeNext(line, taking, failed.promise);
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, account.host);
  } finally {
    over.abort(new Error("the run is over"));
    await asking?.catch(() => {}); // its failure was thrown above
    account.places.letGo();
  }
}

function gapAgain({ host }: Account): Error {
  return host.fault("again", "The connection to Slack ended again, too early. It is made anew.", { sent: "no" });
}

async function takeNext(line: Line, taking: Taking, failed: Promise<never>): Promise<void> {
  const { envelope, acknowledge } = await Promise.race([line.next(), failed]);
  await Promise.race([take(envelope, taking), failed]);
  acknowledge();
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
