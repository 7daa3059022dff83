/** `margay doctor`: each check ok, warning or problem, with the exact command that repairs it (CF4). */
import { RuntimeError } from "@margay/core";
import type { Loaded } from "../config/load.ts";
import { EXIT, type Cli, type Run } from "./command.ts";
import { checkChannels, checkClock, checkExec, checkPort, checkServers, checkWorkspace } from "./doctor-config.ts";
import { checkDisk, checkHome, checkLock, checkModes, checkNode } from "./doctor-machine.ts";
import { checkModel } from "./doctor-model.ts";
import { checkSkills } from "./doctor-skills.ts";
import { checkTranscription } from "./doctor-transcription.ts";
import { checkSessions } from "./doctor-sessions.ts";
import { checkSchedule } from "./schedule-held.ts";
import { failureText } from "./failure.ts";
import type { Finding } from "./finding.ts";
import { jsonLine, safeText } from "./output.ts";

export const runDoctor: Run = async (cli, input) => {
  const fix = input.options["fix"] === true;
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (!cli.json) for (const finding of found) cli.terminal.out(line(finding, cli));
  };
  for (const check of [checkNode, checkHome, checkDisk, checkModes, checkLock, checkSchedule, checkSessions])
    report(await check(cli, fix));
  const { loaded, finding } = checkConfiguration(cli);
  report([finding]);
  if (loaded !== undefined) {
    for (const check of [checkClock, checkWorkspace, checkExec, checkServers, checkSkills, checkChannels, checkPort])
      report(await check(cli, loaded));
    report(await checkModel(cli, loaded));
    report(await checkTranscription(cli, loaded));
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
    return {
      finding: { id: "config", level: "problem", text, repair: `margay config check && $EDITOR ${places.config}` },
    };
  }
}

function line({ level, text, repair }: Finding, { t, terminal }: Cli): string {
  const mark = { ok: "✓", warning: "!", problem: "✗", fixed: "✓" }[level];
  const color = { ok: "32", warning: "33", problem: "31", fixed: "32" }[level];
  const word = `${mark} ${t(`doctor.${level}`)}`;
  const shown = terminal.color ? `\u001b[${color}m${word}\u001b[0m` : word;
  return `${shown}: ${safeText(text)}\n${repair === undefined ? "" : `    ${t("doctor.repair", { command: safeText(repair) })}\n`}`;
}
