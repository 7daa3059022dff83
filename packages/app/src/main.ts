/** argv → command. The process itself: environment, terminal, signals, exit code. */
import { readFileSync } from "node:fs";
import { processEnvironment } from "./config/environment.ts";
import { COMMANDS } from "./cli/commands.ts";
import { processTerminal } from "./cli/output.ts";
import { runCli } from "./cli/run-cli.ts";
import { appendLog } from "./config/log-file.ts";

/** Turns in hand get this long to reach a commit after the first signal (R20). */
const GRACE_MS = 15_000;

const environment = processEnvironment();
process.exitCode = await runCli({
  argv: process.argv.slice(2),
  commands: COMMANDS,
  terminal: processTerminal(environment.env),
  environment,
  compose: async (options) => (await import("./compose.ts")).compose(options),
  writeLog: (places, line) => appendLog(places.log, line),
  version,
  signal: stopSignal(),
});

/** From the package's own description: one level up in the sources and in the bundle. */
function version(): string {
  const description = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  }; // ours
  return description.version;
}

/** The first SIGINT or SIGTERM asks, the second one ends the process: the journal is valid either way. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const code = signal === "SIGTERM" ? 143 : 130; // 128 + signal number, as shells report it
    if (stop.signal.aborted) process.exit(code);
    stop.abort(new Error(`stopped by ${signal}`));
    // AbortSignal.timeout does not hold the process open: it only ends one that hangs.
    AbortSignal.timeout(GRACE_MS).addEventListener("abort", () => process.exit(code));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return stop.signal;
}
