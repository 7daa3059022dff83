/** `margay stop --all` and `margay resume --all`: the emergency stop from a terminal, whatever runs or does not. */
import { RuntimeError, type Json } from "@margay/core";
import { lockOwner, systemClock } from "@margay/core/internal";
import { openStopFlag } from "./service.ts";
import { EXIT, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { callerOf } from "../../host/control/call.ts";
import type { EMERGENCY_STOP_OPERATIONS } from "./actions.ts";
import { jsonLine } from "../../host/cli/output.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";

/** Commands get this long to die. */
const PATIENCE_MS = 15_000;
const BY = "user";
const call = callerOf<typeof EMERGENCY_STOP_OPERATIONS>();

export const stopAll: Run = async (cli, input) => {
  requireAll(cli, input);
  // The flag first, and without reading any configuration: it holds whatever happens to the rest.
  const stopFlag = openStopFlag({ docs: cli.places.docs, now: systemClock().now });
  const was = stopFlag.on;
  if (!was) await stopFlag.set(true, BY);
  const pid = lockOwner(cli.places.home);
  if (pid === undefined) {
    if (!was) await recordFromCommand(cli, "estop.on", { by: BY });
    return told(cli, { stopped: true, running: false }, cli.t("stop.set"));
  }
  const answer = await call(impatient(cli), "estop.on", {}).catch(unanswered);
  if (answer === undefined) {
    // The flag keeps every next step from beginning; only what is in hand may still run.
    if (cli.json) cli.terminal.out(jsonLine({ stopped: true, running: true, confirmed: false, pid }));
    else cli.terminal.err(`${cli.t("stop.unconfirmed", { pid })}\n`);
    return EXIT.failed;
  }
  const { turns, processes } = answer;
  return told(cli, { stopped: true, running: true, turns, processes }, cli.t("stop.done", { turns, processes }));
};

export const resumeAll: Run = async (cli, input) => {
  requireAll(cli, input);
  const stopFlag = openStopFlag({ docs: cli.places.docs, now: systemClock().now });
  if (!stopFlag.on) return told(cli, { released: false }, cli.t("stop.notOn"));
  const pid = lockOwner(cli.places.home);
  if (pid !== undefined) await call(impatient(cli), "estop.off", {});
  if (pid === undefined) {
    await stopFlag.set(false, BY);
    await recordFromCommand(cli, "estop.off", { by: BY });
  }
  return told(cli, { released: true }, cli.t("stop.released"));
};

/** Typed out: a slip of the finger stops nothing. */
function requireAll(cli: Cli, { options }: Input): void {
  if (options["all"] !== true) throw new RuntimeError("usage.wrong", cli.t("stop.needsAll"));
}

/** Nothing is waited for longer, and no agent is composed to be stopped. */
function impatient(cli: Cli): Cli {
  return { ...cli, signal: AbortSignal.any([cli.signal, AbortSignal.timeout(PATIENCE_MS)]) };
}

/** The flag holds anyway. */
function unanswered(): undefined {
  return undefined;
}

function told(cli: Cli, report: Record<string, Json>, text: string): number {
  cli.terminal.out(cli.json ? jsonLine(report) : `${text}\n`);
  return EXIT.done;
}
