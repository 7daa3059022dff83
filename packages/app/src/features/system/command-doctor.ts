/** `margay doctor`: each check ok, warning or problem, with the exact command that repairs it. */
import { RuntimeError } from "@margay/core";
import type { Loaded } from "../../config/load.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { platformFindings, platformsOf, storageFault, storageFinding } from "./doctor-storage.ts";
import { failureText } from "../../host/cli/failure.ts";
import { findingsOf, type Finding } from "../../host/finding.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";

/** They say something where nothing of the state directory can be read. */
const OUTSIDE: ReadonlySet<string> = new Set(["node", "home", "disk"]);

export const runDoctor: Run = async (cli, input) => {
  const fix = input.options["fix"] === true;
  const { machine, configured } = (await cli.surface()).checks;
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (!cli.json) for (const finding of found) cli.terminal.out(line(finding, cli));
  };
  const isUsable = (): boolean => !findings.some(({ id, level }) => id === "home" && level === "problem");
  for (const [id, check] of Object.entries(machine))
    if (OUTSIDE.has(id) || isUsable()) report(await findingsOf(id, cli, () => check(cli, fix)));
  if (isUsable()) {
    report([storageFinding(await storageFault(cli), cli)]);
    report(platformFindings(await platformsOf(cli), cli));
    const { loaded, finding } = checkConfiguration(cli);
    report([finding]);
    if (loaded !== undefined)
      for (const [id, check] of Object.entries(configured)) report(await findingsOf(id, cli, () => check(cli, loaded)));
  }
  const problems = findings.filter((one) => one.level === "problem").length;
  const warnings = findings.filter((one) => one.level === "warning").length;
  if (cli.json) cli.terminal.out(jsonLine({ ok: problems === 0, findings }));
  else cli.terminal.out(`${cli.t("doctor.summary", { problems, warnings })}\n`);
  return problems === 0 ? EXIT.done : EXIT.failed;
};

function checkConfiguration(cli: Cli): { readonly loaded?: Loaded; readonly finding: Finding } {
  const { t, language, places } = cli;
  try {
    const loaded = cli.load();
    return {
      loaded,
      finding: {
        id: "config",
        level: "ok",
        text: loaded.exists ? t("doctor.config", { path: places.config }) : t("doctor.configNone"),
      },
    };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const text = failureText(error, { language, t, home: places.home, log: places.log }).trim();
    const repair =
      error.code === "config.unreadable" ? `chmod 600 '${places.config}'` : `"\${EDITOR:-vi}" '${places.config}'`;
    return { finding: { id: "config", level: "problem", text, repair } };
  }
}

function line({ level, text, repair }: Finding, { t, terminal }: Cli): string {
  const mark = { ok: "✓", warning: "!", problem: "✗", fixed: "✓" }[level];
  const color = { ok: "32", warning: "33", problem: "31", fixed: "32" }[level];
  const word = `${mark} ${t(`doctor.${level}`)}`;
  const shown = terminal.color ? `\u001b[${color}m${word}\u001b[0m` : word;
  return `${shown}: ${safeText(text)}\n${repair === undefined ? "" : `    ${t("doctor.repair", { command: safeText(repair) })}\n`}`;
}
