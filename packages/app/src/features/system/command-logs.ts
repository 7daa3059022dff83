/** `margay gateway logs`: the end of this state directory's log, and with `-f` what is written from now on. */
import { systemClock, type Millis } from "@margay/core/internal";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { numberOption } from "../../host/cli/values.ts";
import { readLog } from "./logs.ts";
import type { LogLine } from "./schema.ts";

const LOOK_MS: Millis = 250;
const USUAL_LINES = 50;
/** Of one look at a log that grows. */
const LINES_AT_ONCE = 1000;

export const showLogs: Run = async (cli, input) => {
  const { terminal, places, signal } = cli;
  const query = { limit: numberOption(cli, input, "lines") ?? USUAL_LINES };
  let page = await readLog(places.log, query, asWritten);
  show(cli, page.items);
  if (input.options["follow"] !== true) {
    if (page.items.length === 0 && !cli.json) terminal.err(`${cli.t("logs.none", { path: places.log })}\n`);
    return EXIT.done;
  }
  while (!signal.aborted) {
    await systemClock()
      .sleep(LOOK_MS, signal)
      .catch(() => {}); // Ctrl-C ends it in peace
    page = await readLog(places.log, { limit: LINES_AT_ONCE, after: page.next }, asWritten);
    show(cli, page.items);
  }
  return EXIT.done;
};

/** Secrets were taken out before a line was written. */
function asWritten(text: string): string {
  return text;
}

function show({ terminal, json }: Cli, lines: readonly LogLine[]): void {
  for (const { time, level, event, data } of lines)
    terminal.out(
      json
        ? jsonLine({ time, level, event, ...data })
        : `${safeText(`${time} ${level.padEnd(5)} ${event}${wordsOf(data)}`)}\n`,
    );
}

function wordsOf(data: LogLine["data"]): string {
  return Object.entries(data)
    .map(
      ([name, value]) =>
        ` ${name}=${typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join("");
}
