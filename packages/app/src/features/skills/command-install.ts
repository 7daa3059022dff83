/** `margay skills add|approve|remove`: nothing of a stranger's skill is used before the operator saw what it is. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import {
  approvalOf,
  installSkill,
  readApprovals,
  removeSkill as removeFiles,
  reportSkill,
  stageSkills,
  writeApproval,
  type SkillFiles,
  type SkillReport,
  type Staged,
  type StagedSkill,
} from "@margay/core/internal";
import { stagingDirectory } from "./settings.ts";
import { EXIT, listOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { confirmed } from "../../host/cli/confirm.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { reportLines } from "./report.ts";
import { reportJson, skillNamed } from "./command.ts";

export const addSkill: Run = async (cli, input) => {
  const { workspace } = cli.loadShown();
  using staged = await stageSkills(
    {
      source: input.args[0] ?? "",
      currentDirectory: cli.environment.currentDirectory,
      staging: stagingDirectory(cli.places),
      environment: cli.environment.env,
    },
    cli.signal,
  );
  let code: number = EXIT.done;
  for (const skill of chosen(staged, input, cli))
    code = Math.max(code, await addOne(cli, input, staged, skill, workspace));
  return code;
};

async function addOne(cli: Cli, input: Input, staged: Staged, skill: StagedSkill, workspace: string): Promise<number> {
  const { name, directory } = skill;
  const report = await reportSkill(directory, name, cli.signal);
  const isThere = existsSync(join(workspace, "skills", name));
  const approval = approvalOf(readApprovals(cli.places.docs), name);
  if (!cli.json) {
    cli.terminal.err(`${safeText(name)}: ${reportLines(report, cli, isThere ? approval : undefined, staged.source)}`);
    cli.terminal.err(`${cli.t("skills.report.note", { path: join(directory, "SKILL.md") })}\n`);
  }
  if (report.reason !== undefined)
    throw new RuntimeError("skill.refused", cli.t("skills.report.broken", { text: safeText(report.reason) }));
  if (!(await confirmed(cli, input, cli.t(isThere ? "skills.askReplace" : "skills.ask", { name: safeText(name) }))))
    return kept(cli, report);
  const files = await installSkill({ name, directory, hash: report.hash }, workspace, cli.signal);
  await approve(cli, name, files, staged.source);
  if (cli.json)
    cli.terminal.out(jsonLine({ ...reportJson(report), source: staged.source, installed: true, approved: true }));
  else cli.terminal.out(`${cli.t("skills.added", { name: safeText(name) })}\n`);
  return EXIT.done;
}

export const approveSkill: Run = async (cli, input) => {
  const { name, directory } = await skillNamed(cli, input.args[0] ?? "", "workspace");
  const report = await reportSkill(directory, name, cli.signal);
  const before = approvalOf(readApprovals(cli.places.docs), name);
  if (!cli.json) {
    cli.terminal.err(`${safeText(name)}: ${reportLines(report, cli, before)}`);
    cli.terminal.err(`${cli.t("skills.report.note", { path: join(directory, "SKILL.md") })}\n`);
  }
  if (report.reason !== undefined)
    throw new RuntimeError("skill.refused", cli.t("skills.report.broken", { text: safeText(report.reason) }));
  if (!(await confirmed(cli, input, cli.t("skills.ask", { name: safeText(name) })))) return kept(cli, report);
  await approve(cli, name, report, before?.source);
  if (cli.json) cli.terminal.out(jsonLine({ ...reportJson(report), approved: true }));
  else cli.terminal.out(`${cli.t("skills.approved", { name: safeText(name) })}\n`);
  return EXIT.done;
};

export const removeSkill: Run = async (cli, input) => {
  const skill = await skillNamed(cli, input.args[0] ?? "");
  const { workspace } = cli.loadShown();
  const name = safeText(skill.name);
  if (skill.from === "bundled") throw new RuntimeError("skill.refused", cli.t("skills.bundledStays", { name }));
  if (!(await confirmed(cli, input, cli.t("skills.askRemove", { name })))) {
    cli.terminal.err(`${cli.t("skills.kept")}\n`);
    return EXIT.failed;
  }
  removeFiles(skill.name, workspace);
  await writeApproval(cli.places.docs, skill.name, undefined);
  if (cli.json) cli.terminal.out(jsonLine({ name: skill.name, removed: true }));
  else cli.terminal.out(`${cli.t("skills.removed", { name })}\n`);
  return EXIT.done;
};

/** @throws RuntimeError `usage.wrong` when it is not clear which. */
function chosen({ skills }: Staged, input: Input, cli: Cli): readonly StagedSkill[] {
  const only = listOption(input, "only");
  const names = skills.map((skill) => skill.name).join(", ");
  if (only.length === 0 && skills.length > 1)
    throw new RuntimeError("usage.wrong", cli.t("skills.several", { names: safeText(names) }));
  const strange = only.find((name) => !skills.some((skill) => skill.name === name));
  if (strange !== undefined)
    throw new RuntimeError("usage.wrong", cli.t("skills.notIn", { name: safeText(strange), names: safeText(names) }));
  return only.length === 0 ? skills : skills.filter((skill) => only.includes(skill.name));
}

async function approve(
  cli: Cli,
  name: string,
  content: Pick<SkillFiles, "hash" | "files">,
  source: string | undefined,
): Promise<void> {
  await writeApproval(cli.places.docs, name, {
    hash: content.hash,
    at: new Date(systemClock().now()).toISOString(),
    ...(source !== undefined && { source }),
    files: Object.fromEntries(content.files.map((file) => [file.path, file.sha256])),
  });
}

function kept(cli: Cli, report: SkillReport): number {
  if (cli.json) cli.terminal.out(jsonLine({ ...reportJson(report), approved: false }));
  else cli.terminal.err(`${cli.t("skills.kept")}\n`);
  return EXIT.failed;
}
