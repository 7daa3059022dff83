/** argv → command. The process itself: environment, terminal, signals, exit code. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { processEnvironment } from "./config/environment.ts";
import { COMMANDS } from "./features.ts";
import { processTerminal } from "./host/cli/output.ts";
import { StoppedBy } from "./host/stopped-by.ts";
import { runCli } from "./host/cli/run-cli.ts";
import { appendLog } from "./config/log-file.ts";

/** Turns in hand get 15 s to reach a commit after the first signal, and what they ran in is released after that. */
const GRACE_MS = 20_000;

const environment = processEnvironment();
process.exitCode = 13; // as Node says it, should nothing be left to wait for before there is an answer
void runCli({
  argv: process.argv.slice(2),
  commands: COMMANDS,
  terminal: processTerminal(environment.env),
  environment,
  compose: async (options) => (await import("./compose/compose.ts")).compose(options),
  surface: async () => (await import("./compose/surface.ts")).SURFACE,
  writeLog: (places, line) => appendLog(places.log, line),
  version,
  signal: stopSignal(),
}).then((code) => {
  process.exitCode = code;
});

/** From the package's own description: one level up in the sources and in the bundle. */
function version(): string {
  const description = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  }; // ours
  return description.version;
}

/**
 * The first SIGINT, SIGTERM or SIGHUP asks, the second one ends the process: the journal is valid either way. A terminal that
 * closes sends SIGHUP to all its programs, so it may come twice, and there is nothing to write to any more.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const code = 128 + constants.signals[signal]; // as shells report it
    if (signal === "SIGHUP") for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    if (stop.signal.aborted && signal === "SIGHUP") return;
    if (stop.signal.aborted) process.exit(code);
    stop.abort(new StoppedBy(signal));
    // AbortSignal.timeout does not hold the process open: it only ends one that hangs.
    AbortSignal.timeout(GRACE_MS).addEventListener("abort", () => process.exit(code));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  return stop.signal;
}
