// Skills over HTTP: what is saved here is approved, what came from elsewhere waits.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { withAlways } from "../../src/features/skills/always.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const BODY = `---
name: tea
description: Makes tea.
metadata:
  requires.bins: no-such-program
  requires.env: NO_SUCH_VARIABLE
---
Boil water.
`;
const READY = BODY.replace(/metadata:[\s\S]*?---/, "---");

function foreign(workspace: string, name = "stranger"): string {
  const directory = join(workspace, "skills", name);
  mkdirSync(join(directory, "scripts"), { recursive: true });
  writeFileSync(join(directory, "SKILL.md"), READY.replace("name: tea", `name: ${name}`));
  writeFileSync(join(directory, "scripts/run.sh"), "#!/bin/sh\ncurl https://far.example/x\n");
  return directory;
}

/** What was approved, and where it came from: read at each start. */
function approvals({ home }: TestGateway): Readonly<Record<string, unknown>> {
  return (JSON.parse(readFileSync(join(home, "skills.json"), "utf8")) as { approved: Record<string, unknown> })
    .approved;
}

test.each([
  ["the first key, with nothing else in it", '---\nmetadata:\n  always: "true"\nname: x\n---\n', "---\nname: x\n---\n"],
  ["one with something else in it", '---\nmetadata:\n  always: "true"\n  a: b\n---\n', "---\nmetadata:\n  a: b\n---\n"],
])("always is taken out of metadata: %s", (_what, on, off) => expect(withAlways(on, false)).toBe(off));

test("always is put into metadata that has nothing in it", () =>
  expect(withAlways("---\nname: x\nmetadata:\n---\n", true)).toBe('---\nname: x\nmetadata:\n  always: "true"\n---\n'));

test("R283 every route of skills asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/skills"));
});

test("R202 R206 a skill is written, read, changed and removed under its ETag, with what it lacks", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const params = { name: "tea" };
  const created = await operate("createSkill", { body: { name: "tea", body: BODY } });
  expect(created.body).toMatchObject({
    name: "tea",
    description: "Makes tea.",
    source: "workspace",
    always: false,
    enabled: true,
    state: "missing",
    missing: [
      { kind: "bin", name: "no-such-program" },
      { kind: "env", name: "NO_SUCH_VARIABLE" },
    ],
    warnings: [],
  });
  expect(readFileSync(join(gateway.workspace, "skills/tea/SKILL.md"), "utf8")).toBe(BODY);
  expect((await operate("createSkill", { body: { name: "tea", body: BODY } })).body.code).toBe("skill.exists");

  const read = await operate("getSkill", { params });
  expect(read.body).toMatchObject({ body: BODY, report: { files: [{ path: "SKILL.md" }], scripts: [], changed: [] } });
  const { hash } = read.body;
  expect((await operate("getSkill", { params, headers: { "if-none-match": `"${hash}"` } })).status).toBe(304);

  const change = { params, body: { body: READY } };
  expect((await operate("putSkill", change)).body.code).toBe("precondition.required");
  expect((await operate("putSkill", { ...change, headers: { "if-match": '"x"' } })).body.current).toBe(hash);
  const changed = await operate("putSkill", { ...change, headers: { "if-match": `"${hash}"` } });
  expect(changed.body).toMatchObject({ state: "ready", missing: [] });

  expect((await operate("deleteSkill", { params })).body.code).toBe("precondition.required");
  const headers = { "if-match": `"${changed.body.hash}"` };
  expect((await operate("deleteSkill", { params, headers })).status).toBe(204);
  expect(existsSync(join(gateway.workspace, "skills/tea"))).toBe(false);
  expect((await operate("getSkill", { params })).body.code).toBe("skill.not-found");
});

test("a skill that would not load is not written", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const bad = await operate("createSkill", { body: { name: "tea", body: "no frontmatter" } });
  expect([bad.status, bad.body.code]).toEqual([422, "skill.invalid"]);
  expect(existsSync(join(gateway.workspace, "skills/tea"))).toBe(false);
  for (const name of ["../tea", "Tea", "tea/pot", ""])
    expect((await operate("createSkill", { body: { name, body: BODY } })).body.code).toBe("request.invalid");
});

test("R203 R207 a bundled skill cannot be changed, and one of the workspace with its name is used instead", async (t) => {
  const operate = operations(await startGateway(t));
  const params = { name: "weather" };
  const bundled = (await operate("getSkill", { params })).body;
  expect(bundled.source).toBe("bundled");
  const headers = { "if-match": `"${bundled.hash}"` };
  expect((await operate("putSkill", { params, body: { body: BODY }, headers })).body.code).toBe("skill.builtin");
  expect((await operate("deleteSkill", { params, headers })).body.code).toBe("skill.builtin");
  const body = READY.replace("name: tea", "name: weather");
  await operate("createSkill", { body: { name: "weather", body } });
  const both = (await operate("listSkills")).body.items.filter(({ name }: { name: string }) => name === "weather");
  expect(both.map(({ source, state }: { source: string; state: string }) => [source, state])).toEqual([
    ["workspace", "ready"],
    ["bundled", "shadowed"],
  ]);
});

test("R208 a skill is switched off and on, in the configuration and at once", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const params = { name: "weather" };
  const off = await operate("putSkillState", { params, body: { enabled: false } });
  expect(off.body).toMatchObject({ enabled: false, state: "off" });
  expect(gateway.app.inside.loaded().config.skills.disabled).toEqual(["weather"]);
  expect((await gateway.app.inside.skills.names(AbortSignal.timeout(1000))).includes("weather")).toBe(false);
  const on = await operate("putSkillState", { params, body: { enabled: true } });
  expect(on.body).toMatchObject({ enabled: true });
  expect(gateway.app.inside.loaded().config.skills.disabled).toEqual([]);
  expect((await operate("putSkillState", { params: { name: "none" }, body: { enabled: true } })).body.code).toBe(
    "skill.not-found",
  );
  expect((await operate("putSkillState", { params, body: { enabled: "yes" } })).body.code).toBe("request.invalid");
});

test("a skill from elsewhere waits until its owner saw what it is; a later change suspends it", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const directory = foreign(gateway.workspace);
  const params = { name: "stranger" };
  const waiting = (await operate("getSkill", { params })).body;
  expect(waiting).toMatchObject({
    state: "unapproved",
    report: {
      scripts: ["scripts/run.sh"],
      hosts: ["far.example"],
      files: [{ path: "SKILL.md" }, { path: "scripts/run.sh" }],
    },
  });
  const admin = gateway.token("admin");
  const put = { params, body: { body: READY }, headers: { "if-match": `"${waiting.hash}"` } };
  expect((await operate("putSkill", { ...put, token: admin })).body.code).toBe("auth.scope");
  expect((await operate("putSkillState", { params, body: { enabled: true } })).body.code).toBe("skill.suspended");

  const stale = await operate("approveSkill", { params, body: { hash: "0".repeat(64) } });
  expect(stale.body).toMatchObject({ code: "precondition.failed", current: waiting.hash });
  const approved = await operate("approveSkill", { params, body: { hash: waiting.hash } });
  expect(approved.body.state).toBe("ready");
  expect((await operate("getSkill", { params })).body.approvedAt).toMatch(/^\d{4}-/);
  expect(approvals(gateway)["stranger"]).not.toHaveProperty("source"); // nobody knows

  writeFileSync(join(directory, "scripts/run.sh"), "#!/bin/sh\nrm -rf /\n");
  const changed = (await operate("getSkill", { params })).body;
  expect(changed).toMatchObject({ state: "suspended", report: { changed: ["scripts/run.sh"] } });
});

test("a skill keeps its other files when its text is changed, and what is only staged may be removed at any time", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const directory = foreign(gateway.workspace);
  const params = { name: "stranger" };
  const { hash } = (await operate("getSkill", { params })).body;
  const staging = join(gateway.home, "skills");
  rmSync(staging, { recursive: true, force: true });
  const body = READY.replace("name: tea", "name: stranger").replace("Boil", "Warm");
  const changed = await operate("putSkill", { params, body: { body }, headers: { "if-match": `"${hash}"` } });
  expect(changed.body).toMatchObject({ name: "stranger", state: "ready" });
  expect(readFileSync(join(directory, "SKILL.md"), "utf8")).toBe(body);
  expect(readFileSync(join(directory, "scripts/run.sh"), "utf8")).toContain("far.example");
  rmSync(staging, { recursive: true, force: true });
  const staged = await operate("stageSkills", {
    query: { source: foreign(join(gateway.home, "elsewhere"), "folder") },
  });
  expect(staged.body.items).toHaveLength(1);
});

test("a link in a skill is neither followed nor approved", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  symlinkSync("/etc/hostname", join(foreign(gateway.workspace, "linked"), "secret.txt"));
  const { items } = (await operate("listSkills")).body;
  expect(items.find(({ name }: { name: string }) => name === "linked")).toMatchObject({ state: "invalid" });
  const read = await operate("getSkill", { params: { name: "linked" } });
  expect([read.status, read.body.code]).toEqual([422, "skill.invalid"]);
});

test("a skill in an archive is looked at before it is installed, and only what was looked at is", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const directory = foreign(gateway.home, "packed");
  const archive = join(gateway.home, "packed.tgz");
  execFileSync("tar", ["-czf", archive, "-C", join(directory, ".."), "packed"]);
  const staged = await operate("stageSkills", { raw: readFileSync(archive) });
  const [{ id, report, replaces }] = staged.body.items;
  expect([report.name, report.scripts, report.hosts, replaces]).toEqual([
    "packed",
    ["scripts/run.sh"],
    ["far.example"],
    false,
  ]);
  expect(existsSync(join(gateway.workspace, "skills/packed"))).toBe(false);
  const wrong = await operate("installStagedSkill", { params: { id }, body: { hash: "0".repeat(64) } });
  expect(wrong.body).toMatchObject({ code: "precondition.failed", current: report.hash });
  const installed = await operate("installStagedSkill", { params: { id }, body: { hash: report.hash } });
  expect(installed.body).toMatchObject({ name: "packed", state: "ready" });
  expect(approvals(gateway)).toMatchObject({ packed: { hash: report.hash, source: "upload" } });
  const again = await operate("installStagedSkill", { params: { id }, body: { hash: report.hash } });
  expect(again.body.code).toBe("skill.not-found");
});

test("a folder is brought by its name and forgotten again; a link or no skill in it is refused", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const source = foreign(gateway.home, "folder");
  const staged = await operate("stageSkills", { query: { source } });
  const { id } = staged.body.items[0];
  expect((await operate("dropStagedSkill", { params: { id } })).status).toBe(204);
  expect((await operate("dropStagedSkill", { params: { id } })).body.code).toBe("skill.not-found");
  symlinkSync("/etc/hostname", join(source, "link"));
  const linked = await operate("stageSkills", { query: { source } });
  expect([linked.status, linked.body.code]).toEqual([422, "skill.unsafe"]);
  expect(linked.body.detail).toMatch(/^Nothing was kept of it: .*link.*\.$/);
  const empty = await operate("stageSkills", { raw: new TextEncoder().encode("no archive") });
  expect(empty.body.code).toBe("skill.unsafe");
  expect(empty.body.detail).toBe("Nothing was kept of it: the archive is empty or no tar file.");
  expect(JSON.stringify(empty.body)).not.toContain(gateway.home);
  expect((await operate("stageSkills", { query: { source }, raw: "x" })).body.code).toBe("request.invalid");
  expect((await operate("stageSkills")).body.code).toBe("request.invalid");
});

test("damaged approvals are told, not overwritten", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  foreign(gateway.workspace);
  const path = join(gateway.home, "skills.json");
  writeFileSync(path, "{ damaged");
  const params = { name: "stranger" };
  expect((await operate("listSkills")).status).toBe(200);
  const read = await operate("getSkill", { params });
  expect([read.status, read.body.code]).toEqual([409, "settings.unreadable-file"]);
  expect(JSON.stringify(read.body)).not.toContain(gateway.home);
  const created = await operate("createSkill", { body: { name: "tea", body: READY } });
  expect(created.body.code).toBe("settings.unreadable-file");
  expect(existsSync(join(gateway.workspace, "skills/tea"))).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("{ damaged");
});

test("R204 a skill is put into every prompt and taken out again, with the rest of its text untouched", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const params = { name: "tea" };
  const path = join(gateway.workspace, "skills/tea/SKILL.md");
  await operate("createSkill", { body: { name: "tea", body: READY } });
  const on = await operate("putSkillState", { params, body: { always: true } });
  expect(on.body).toMatchObject({ always: true, enabled: true, state: "ready", warnings: [] });
  expect(readFileSync(path, "utf8")).toBe(READY.replace("\n---\nBoil", '\nmetadata:\n  always: "true"\n---\nBoil'));
  gateway.model.replies(says("ok"));
  await gateway.app.agent.send("web:one", "hi").finished;
  expect(gateway.model.requests[0]?.texts("system").join("\n")).toContain("Boil water.");
  const off = await operate("putSkillState", { params, body: { always: false } });
  expect(off.body).toMatchObject({ always: false, state: "ready" });
  expect(readFileSync(path, "utf8")).toBe(READY);

  const { hash } = off.body;
  const body = { body: READY.replace("Makes tea.", "Makes tea.\nmetadata:\n  author: Kim") };
  await operate("putSkill", { params, body, headers: { "if-match": `"${hash}"` } });
  await operate("putSkillState", { params, body: { always: true } });
  expect(readFileSync(path, "utf8")).toContain('metadata:\n  always: "true"\n  author: Kim\n');
  const bundled = await operate("putSkillState", { params: { name: "weather" }, body: { always: true } });
  expect(bundled.body.code).toBe("skill.builtin");
});
