/** `margay audit list|verify`: reads files only; nothing here can change a record (SE10). */
import { join } from "node:path";
import { openAudit, systemClock, type Audit } from "@margay/core";
import { EXIT, type Cli, type Run } from "./command.ts";
import { jsonLine, safeText } from "./output.ts";
import { numberOption, timeText } from "./sessions.ts";

export const listAudit: Run = async (cli, input) => {
  const records = await audit(cli).list({ limit: numberOption(cli, input, "limit") ?? 50 });
  if (records.length === 0 && !cli.json) cli.terminal.out(`${cli.t("audit.none")}\n`);
  for (const record of records.toReversed()) {
    if (cli.json) cli.terminal.out(jsonLine(record));
    else cli.terminal.out(`${String(record.n).padStart(5)} ${timeText(record.at)} ${safeText(summary(record))}\n`);
  }
  return EXIT.done;
};

export const verifyAudit: Run = async (cli) => {
  const report = await audit(cli).verify();
  if (cli.json) cli.terminal.out(jsonLine(report));
  else if (report.broken === undefined) cli.terminal.out(`${cli.t("audit.whole", { count: report.entries })}\n`);
  else
    cli.terminal.out(`${cli.t("audit.broken", { seq: report.broken.n, reason: safeText(report.broken.message) })}\n`);
  return report.ok ? EXIT.done : EXIT.failed;
};

/** Nothing is observed or recorded through it, so nothing is written either. */
function audit(cli: Cli): Audit {
  return openAudit({ directory: join(cli.places.home, "audit"), clock: systemClock(), redact: (text) => text });
}

function summary(record: Awaited<ReturnType<Audit["list"]>>[number]): string {
  switch (record.kind) {
    case "call":
      return `${record.sessionKey} ${record.tool} ${record.decision} (${record.rule}) ${record.status} ${Math.round(record.durationMs)} ms`;
    case "turn":
      return `${record.sessionKey} turn ${record.reason} ${Math.round(record.durationMs)} ms`;
    case "event":
      return record.name;
  }
}
