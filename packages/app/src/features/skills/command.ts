/** `margay skills list|show|validate|enable|disable`. */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { nearest } from "@margay/core/internal";
import { approvalOf, readApprovals, reportSkill, type Skill, type SkillReport } from "@margay/core/internal";
import { saveChanges } from "../../config/save.ts";
import { skillsOf } from "./settings.ts";
import { EXIT, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { reportLines } from "./report.ts";

export const listSkills: Run = async (cli) => {
  const skills = await allSkills(cli);
  if (cli.json) cli.terminal.out(jsonLine(skills.map(asJson)));
  else if (skills.length === 0) cli.terminal.out(`${cli.t("skills.none")}\n`);
  else
    cli.terminal.out(
      table(
        skills.map((skill) => [
          safeText(skill.name),
          cli.t(`skills.from.${skill.from}`),
          `${statusText(skill, cli)}${skill.head?.always === true ? ` (${cli.t("skills.always")})` : ""}`,
        ]),
      ) +
        skills
          .flatMap((skill) => skill.warnings.map((text) => `${safeText(skill.name)}: ${warningText(text, cli)}\n`))
          .join(""),
    );
  return EXIT.done;
};

export const showSkill: Run = async (cli, input) => {
  const skill = await skillNamed(cli, input.args[0] ?? "");
  if (skill.status === "broken")
    throw new RuntimeError("skill.refused", cli.t("skills.status.broken", { detail: safeText(skill.reason ?? "") }));
  const report = await reportSkill(skill.directory, skill.name, cli.signal);
  if (cli.json) {
    cli.terminal.out(jsonLine({ ...asJson(skill), ...reportJson(report), body: report.body }));
    return EXIT.done;
  }
  const approval = approvalOf(readApprovals(cli.places.docs), skill.name);
  cli.terminal.out(
    `${safeText(skill.name)} (${cli.t(`skills.from.${skill.from}`)}): ${statusText(skill, cli)}\n` +
      `${reportLines(report, cli, skill.from === "workspace" ? approval : undefined)}\n${safeText(report.body)}\n`,
  );
  return EXIT.done;
};

export const validateSkill: Run = async (cli, input) => {
  const given = input.args[0] ?? "";
  const path = resolve(cli.environment.currentDirectory, given.replace(/[\\/]SKILL\.md$/, ""));
  const isPath = existsSync(join(path, "SKILL.md")) || /[\\/]/.test(given);
  const place = isPath ? { directory: path, name: basename(path) } : await skillNamed(cli, given);
  const report = await reportSkill(place.directory, place.name, cli.signal);
  const errors = [
    ...report.problems,
    ...(report.reason === undefined || report.problems.length > 0 ? [] : [report.reason]),
  ];
  const name = safeText(place.name);
  if (cli.json) cli.terminal.out(jsonLine({ name: place.name, valid: errors.length === 0, errors }));
  else if (errors.length === 0) cli.terminal.out(`${cli.t("skills.valid", { name })}\n`);
  else for (const text of errors) cli.terminal.err(`${cli.t("skills.invalid", { name, text: safeText(text) })}\n`);
  return errors.length === 0 ? EXIT.done : EXIT.failed;
};

export const enableSkill: Run = (cli, input) => switchSkill(cli, input, true);

export const disableSkill: Run = (cli, input) => switchSkill(cli, input, false);

async function switchSkill(cli: Cli, input: Input, on: boolean): Promise<number> {
  const { name } = await skillNamed(cli, input.args[0] ?? "");
  const { disabled } = cli.loadShown().config.skills;
  const others = disabled.filter((other) => other !== name);
  await saveChanges(
    [{ path: "skills.disabled", value: on ? (others.length === 0 ? undefined : others) : [...others, name] }],
    {
      places: cli.places,
      env: cli.environment.env,
      t: cli.t,
    },
  );
  if (cli.json) cli.terminal.out(jsonLine({ name, enabled: on }));
  else cli.terminal.out(`${cli.t(on ? "skills.enabled" : "skills.disabled", { name: safeText(name) })}\n`);
  return EXIT.done;
}

/** As a turn would find them; requirements of tools are not known here. @throws RuntimeError `skill.approvals`. */
export async function allSkills(cli: Cli): Promise<readonly Skill[]> {
  const loaded = cli.loadShown();
  readApprovals(cli.places.docs); // a person is told what the agent would only log
  const skills = skillsOf(loaded, { env: cli.environment.env, disabled: () => loaded.config.skills.disabled });
  return skills.all(cli.signal);
}

/** The one that is used, when two have the name. @throws RuntimeError `skill.missing`. */
export async function skillNamed(cli: Cli, name: string, from?: Skill["from"]): Promise<Skill> {
  const all = (await allSkills(cli)).filter((skill) => from === undefined || skill.from === from);
  const found = all.find((skill) => skill.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    all.map((skill) => skill.name),
  );
  const hint = near === undefined ? "" : cli.t("error.didYouMean", { name: near });
  throw new RuntimeError("skill.missing", cli.t("skills.missing", { name: safeText(name), hint }));
}

export function reportJson(report: SkillReport): Record<string, unknown> {
  const { name, hash, bytes, files, scripts, hosts, head, problems, invisible, reason } = report;
  return {
    name,
    hash,
    bytes,
    files: files.map((file) => file.path),
    scripts,
    hosts,
    requires: head?.requires,
    problems,
    invisible,
    reason,
  };
}

function asJson({
  name,
  from,
  status,
  approved,
  directory,
  head,
  reason,
  missing,
  warnings,
  hash,
}: Skill): Record<string, unknown> {
  return {
    name,
    from,
    status,
    approved,
    directory,
    description: head?.description,
    always: head?.always ?? false,
    missing,
    warnings,
    reason,
    ...(hash !== "" && { hash }),
  };
}

function statusText(skill: Skill, cli: Cli): string {
  const detail = skill.status === "broken" ? (skill.reason ?? "") : skill.missing.join(", ");
  return cli.t(`skills.status.${skill.status}`, { name: safeText(skill.name), detail: safeText(detail) });
}

function warningText(text: string, cli: Cli): string {
  return cli.t("skills.warning", { text: safeText(text) });
}
