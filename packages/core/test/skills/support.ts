// A workspace with skills on disk, a folder of bundled ones, and an operator who approves.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { readApprovals, writeApproval } from "../../src/skills/approvals.ts";
import { reportSkill } from "../../src/skills/report.ts";
import { openFileDocs } from "../../src/machine/files/file-docs.ts";
import { openSkills, type Skills, type SkillsOptions } from "../../src/skills/skills.ts";
import { collectingLog } from "../support/log.ts";

export const never: AbortSignal = new AbortController().signal;

export interface SkillBench {
  readonly base: string;
  readonly workspace: string;
  readonly bundled: string;
  readonly approvals: string;
  readonly bin: string;
  /** Writes a SKILL.md into the workspace, or elsewhere below the base. */
  put(name: string, text: string, folder?: string): string;
  file(path: string, text: string, mode?: number): string;
  approve(name: string): Promise<void>;
  open(change?: Partial<SkillsOptions>): Skills;
}

export function skillText(head: string, body = "Do it.\n"): string {
  return `---\n${head}\n---\n${body}`;
}

export function skillBench(): SkillBench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "margay-skills-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const workspace = join(base, "ws");
  const bundled = join(base, "bundled");
  const bin = join(base, "bin");
  const approvals = join(base, "state", "skills.json");
  const docs = openFileDocs(join(base, "state"));
  for (const directory of [join(workspace, "skills"), bundled, bin]) mkdirSync(directory, { recursive: true });
  const file = (path: string, text: string, mode = 0o644): string => {
    const full = join(base, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    chmodSync(full, mode);
    return full;
  };
  return {
    base,
    workspace,
    bundled,
    approvals,
    bin,
    file,
    put: (name, text, folder = "ws/skills") => file(join(folder, name, "SKILL.md"), text),
    approve: async (name) => {
      const report = await reportSkill(join(workspace, "skills", name), name, never);
      const files = Object.fromEntries(report.files.map((one) => [one.path, one.sha256]));
      await writeApproval(docs, name, { hash: report.hash, at: "2026-11-21T00:00:00.000Z", files });
      readApprovals(docs);
    },
    open: (change = {}) =>
      openSkills({
        workspace,
        bundled,
        approvals: docs,
        disabled: () => [],
        facts: { environment: { PATH: bin }, tools: () => [{ name: "read_file" }], features: [], os: "linux" },
        log: collectingLog(),
        ...change,
      }),
  };
}
