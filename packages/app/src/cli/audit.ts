/** `margay audit list|verify|head`: reads files only; nothing here can change a record (SE10). */
import { join } from "node:path";
import { openAudit, RuntimeError, systemClock, type Audit } from "@margay/core";
import { EXIT, textOption, type Cli, type Run } from "./command.ts";
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

export const verifyAudit: Run = async (cli, input) => {
  const noted = textOption(input, "head");
  const report = await audit(cli).verify(noted === undefined ? undefined : headIn(cli, noted));
  const { broken } = report;
  if (cli.json) cli.terminal.out(jsonLine(report));
  else if (broken === undefined) cli.terminal.out(`${cli.t("audit.whole", { count: report.entries })}\n`);
  else {
    const { n, reason, file, line } = broken;
    const why = cli.t(REASONS[reason]);
    cli.terminal.out(`${cli.t("audit.broken", { seq: n, reason: why, file: safeText(file), line })}\n`);
    if (cli.language === "en") cli.terminal.out(`${safeText(broken.message)}\n`);
  }
  return report.ok ? EXIT.done : EXIT.failed;
};

const REASONS = {
  edited: "audit.reason.edited",
  missing: "audit.reason.missing",
  reordered: "audit.reason.reordered",
  truncated: "audit.reason.truncated",
  key: "audit.reason.key",
} as const;

/** To be kept where nobody who can write here can: `verify --head` notices a log that was put back to an earlier state. */
export const showHead: Run = async (cli) => {
  const { ok, head } = await audit(cli).verify();
  cli.terminal.out(cli.json ? jsonLine({ ok, ...head }) : `${head.n}:${head.hash}\n`);
  if (!ok) cli.terminal.err(`${cli.t("audit.headBroken")}\n`);
  return ok ? EXIT.done : EXIT.failed;
};

function headIn(cli: Cli, text: string): { readonly n: number; readonly hash: string } {
  const [, n, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (n === undefined || hash === undefined) throw new RuntimeError("usage.wrong", cli.t("audit.badHead"));
  return { n: Number(n), hash };
}

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
      return `${record.sessionKey === undefined ? "" : `${record.sessionKey} `}${record.name} ${JSON.stringify(record.data)}`;
  }
}
