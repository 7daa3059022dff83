/** `margay audit list|verify|head|renew`: nothing here can change a record. */
import { RuntimeError } from "@margay/core";
import { lockDirectory, type Audit } from "@margay/core/internal";
import { auditOf, renewAudit } from "../../host/audit-log.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { numberOption, timeText } from "../../host/cli/values.ts";

export const listAudit: Run = async (cli, input) => {
  const records = await auditOf(cli.places).list({ limit: numberOption(cli, input, "limit") ?? 50 });
  if (records.length === 0 && !cli.json) cli.terminal.out(`${cli.t("audit.none")}\n`);
  for (const record of records.toReversed()) {
    if (cli.json) cli.terminal.out(jsonLine(record));
    else cli.terminal.out(`${String(record.n).padStart(5)} ${timeText(record.at)} ${safeText(summary(record))}\n`);
  }
  return EXIT.done;
};

export const verifyAudit: Run = async (cli, input) => {
  const noted = textOption(input, "head");
  const report = await auditOf(cli.places).verify(noted === undefined ? undefined : headIn(cli, noted));
  const { broken } = report;
  if (cli.json) cli.terminal.out(jsonLine(report));
  else if (broken === undefined) cli.terminal.out(`${cli.t("audit.whole", { count: report.entries })}\n`);
  else if (broken.gone !== undefined) cli.terminal.out(`${cli.t("audit.gone", { name: safeText(broken.gone) })}\n`);
  else if (broken.session !== undefined)
    cli.terminal.out(`${cli.t("audit.behind", { session: safeText(broken.session) })}\n`);
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
  const { ok, head } = await auditOf(cli.places).verify();
  cli.terminal.out(cli.json ? jsonLine({ ok, ...head }) : `${head.n}:${head.hash}\n`);
  if (!ok) cli.terminal.err(`${cli.t("audit.headBroken")}\n`);
  return ok ? EXIT.done : EXIT.failed;
};

/** What doctor advises when the log is broken: nothing is removed, and the new log begins with what was wrong. */
export const renewLog: Run = async (cli) => {
  // Nothing is to be done to one that is whole, whoever writes it now.
  const now = await auditOf(cli.places).verify();
  if (now.ok) return told(cli, now.entries, undefined);
  using lock = lockDirectory(cli.places.home);
  // What a killed process had no time to write is no reason for a new log: the next start writes it.
  const audit = auditOf(cli.places, lock.unclean ? { owed: () => Promise.resolve(undefined) } : {});
  const { ok, entries, broken } = await audit.verify();
  if (ok) return told(cli, entries, undefined);
  const keptAs = await renewAudit(cli.places, { by: "user", what: broken?.message ?? "" });
  return told(cli, entries, { keptAs });
};

function told(cli: Cli, entries: number, renewed: { readonly keptAs: string | undefined } | undefined): number {
  const keptAs = renewed?.keptAs;
  if (cli.json)
    cli.terminal.out(jsonLine({ renewed: renewed !== undefined, ...(keptAs !== undefined && { aside: keptAs }) }));
  else if (renewed === undefined) cli.terminal.out(`${cli.t("audit.whole", { count: entries })}\n`);
  else cli.terminal.out(`${cli.t(keptAs === undefined ? "audit.begun" : "audit.renewed", { name: keptAs ?? "" })}\n`);
  return EXIT.done;
}

function headIn(cli: Cli, text: string): { readonly n: number; readonly hash: string } {
  const [, n, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (n === undefined || hash === undefined) throw new RuntimeError("usage.wrong", cli.t("audit.badHead"));
  return { n: Number(n), hash };
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
