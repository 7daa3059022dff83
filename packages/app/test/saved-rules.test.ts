// Rules for all conversations: what holds when their file is damaged, and what becomes of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileDocs, jsonLog, systemClock, type Grant } from "@margay/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { openSavedRules } from "../src/features/approvals/saved-rules.ts";

const GRANT: Grant = {
  rule: "write outside",
  tool: "write_file",
  scope: { path: "/srv/a" },
  shown: "write_file: /srv/a",
};

test("R78 a damaged file of rules allows nothing, and the next rule does not destroy what was in it", async () => {
  const home = mkdtempSync(join(tmpdir(), "margay-rules-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const lines: string[] = [];
  const clock = systemClock();
  const log = jsonLog({ level: "info", clock, write: (line) => void lines.push(line), redact: (text) => text });
  const rules = openSavedRules(openFileDocs(home), clock, log);
  await rules.save(GRANT, "ann");
  const damaged = readFileSync(join(home, "rules.json"), "utf8").slice(0, -5);
  writeFileSync(join(home, "rules.json"), damaged);
  expect(rules.list()).toEqual([]);
  expect(await rules.remove("x")).toBeUndefined();
  expect(lines.join("")).toContain("rules.damaged");
  await rules.save({ ...GRANT, scope: { path: "/srv/b" } }, "ann");
  expect(rules.list().map(({ scope }) => scope)).toEqual([{ path: "/srv/b" }]);
  expect(readFileSync(join(home, "rules.damaged.json"), "utf8")).toBe(damaged);
});

test("SC22 a rule is taken back by as much of its id as people type, and no other", async () => {
  const home = mkdtempSync(join(tmpdir(), "margay-rules-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const log = jsonLog({ level: "info", clock: systemClock(), write: () => {}, redact: (text) => text });
  const rules = openSavedRules(openFileDocs(home), systemClock(), log);
  const { id } = await rules.save(GRANT, "ann");
  await rules.save({ ...GRANT, scope: { path: "/srv/b" } }, "ann");
  expect([await rules.remove(id.slice(0, 3)), await rules.remove(""), await rules.remove("zzzz")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await rules.remove(id.slice(0, 4))).toMatchObject({ id });
  expect(rules.list().map(({ scope }) => scope)).toEqual([{ path: "/srv/b" }]);
});
