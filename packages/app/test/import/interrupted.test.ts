// Ctrl-C while an import is planned.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planSkills } from "../../src/features/import-home/plan-files.ts";
import type { Source } from "../../src/features/import-home/source.ts";
import type { Target } from "../../src/features/import-home/target.ts";

test("DF47 an import that is ended while a skill is read ends, and does not go on without the skill", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "margay-interrupted-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  const directory = join(workspace, "theirs");
  mkdirSync(directory);
  writeFileSync(join(directory, "SKILL.md"), "---\nname: notes\ndescription: Takes notes.\n---\nWrite it down.\n");
  // Nothing else of them is asked for.
  const source = { skills: [{ from: "skills/notes", name: "notes", directory }] } as unknown as Source;
  const target = { workspace } as Target;
  const plan = (signal: AbortSignal): ReturnType<typeof planSkills> => planSkills(source, target, signal);
  expect(await plan(new AbortController().signal)).toMatchObject([{ item: { status: "add" } }]);
  await expect(plan(AbortSignal.abort(new Error("Ctrl-C")))).rejects.toThrow("Ctrl-C");
});
