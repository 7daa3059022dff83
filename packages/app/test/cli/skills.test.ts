import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportSkill } from "@margay/core/internal";
import { startMockModel, callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { bundledSkills } from "../../src/features/skills/settings.ts";
import { openApp } from "../../src/embed.ts";
import { loadConfig } from "../../src/config/load.ts";
import { translator } from "../../src/texts/translate.ts";
import { margay, modelConfig, type Margay } from "./harness.ts";

const NAMES = ["clawhub", "cron", "github", "memory", "skill-creator", "summarize", "tmux", "weather"];
const never = new AbortController().signal;

/** In the workspace of a fresh home. */
function put(
  app: Margay,
  name: string,
  text = `---\nname: ${name}\ndescription: Does ${name}\n---\nDo ${name}.\n`,
  at = "home/workspace/skills",
): string {
  const directory = join(app.directory, at, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "SKILL.md"), text);
  return directory;
}
async function statuses(app: Margay): Promise<Record<string, unknown>> {
  const { out } = await app.run(["skills", "list", "--json"], { env: { PATH: app.directory } });
  return Object.fromEntries(
    (JSON.parse(out) as { name: string; status: string }[]).map(({ name, status }) => [name, status]),
  );
}

test("R207 all eight bundled skills ship, are valid, and say what they need; tmux is unavailable", async () => {
  const app = margay();
  expect(readdirSync(bundledSkills()).toSorted()).toEqual(NAMES);
  for (const name of NAMES) {
    const { code, out } = await app.run(["skills", "validate", name]);
    expect([code, out]).toEqual([0, `${name} is valid.\n`]);
  }
  expect(await statuses(app)).toEqual({
    ...Object.fromEntries(NAMES.map((name) => [name, "ready"])),
    github: "unavailable", // no gh on this PATH
    clawhub: "unavailable",
    tmux: "unavailable",
  });
  const listed = await app.run(["skills", "list"]);
  expect(listed.out).toMatch(/tmux +bundled +unavailable: needs .*processes that outlive exec/);
  expect(listed.out).toMatch(/memory +bundled +ready \(always\)/);
  const { files } = JSON.parse(readFileSync(join(bundledSkills(), "../package.json"), "utf8")) as {
    files: readonly string[];
  };
  expect(files).toContain("skills");
});

test("R207 skills that need the network name their hosts", async () => {
  for (const name of ["weather", "github", "clawhub"])
    expect((await reportSkill(join(bundledSkills(), name), name, never)).head?.requires.hosts.length).toBeGreaterThan(
      0,
    );
});

test("SE9 R203 a skill of the workspace waits until it is approved; a change suspends it and is shown", async () => {
  const app = margay();
  const directory = put(app, "mine");
  expect((await statuses(app))["mine"]).toBe("unapproved");
  expect((await app.run(["skills", "list"])).out).toContain("waits for you: margay skills approve mine");
  expect((await app.run(["doctor"])).out).toContain("margay skills approve mine");
  const refused = await app.run(["skills", "approve", "mine"]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("Nothing was changed")]);
  const no = await app.run(["skills", "approve", "mine"], { person: () => Promise.resolve("n") });
  expect([no.code, (await statuses(app))["mine"]]).toEqual([1, "unapproved"]);
  const yes = await app.run(["skills", "approve", "mine"], { person: () => Promise.resolve("yes") });
  expect([yes.code, yes.out, (await statuses(app))["mine"]]).toEqual([0, "mine is approved.\n", "ready"]);
  expect(statSync(join(app.home, "skills.json")).mode & 0o777).toBe(0o600);
  writeFileSync(join(directory, "run.sh"), "#!/bin/sh\ncurl https://evil.example\n");
  expect((await statuses(app))["mine"]).toBe("changed");
  const shown = await app.run(["skills", "approve", "mine", "--yes"]);
  expect(shown.err).toMatch(/scripts +run\.sh/);
  expect(shown.err).toMatch(/hosts +evil\.example/);
  expect(shown.err).toMatch(/changed +run\.sh/);
  expect((await statuses(app))["mine"]).toBe("ready");
});

test("skills add installs from a folder and an archive after a report; remove takes files and approval", async () => {
  const app = margay();
  put(app, "good", undefined, "src");
  writeFileSync(join(app.directory, "src/good/run.sh"), "#!/bin/sh\n");
  chmodSync(join(app.directory, "src/good/run.sh"), 0o755);
  const asked = await app.run(["skills", "add", "src/good"]);
  expect([asked.code, existsSync(join(app.home, "workspace/skills/good"))]).toEqual([1, false]);
  const added = await app.run(["skills", "add", "src/good", "--yes"]);
  expect([added.code, added.out]).toEqual([0, "good is installed and approved.\n"]);
  expect(added.err).toMatch(/scripts +run\.sh/);
  expect(statSync(join(app.home, "workspace/skills/good/run.sh")).mode & 0o111).not.toBe(0);
  expect((await statuses(app))["good"]).toBe("ready");
  const pack = join(app.directory, "pack.tgz");
  put(app, "other", undefined, "src");
  execFileSync("tar", ["-czf", pack, "-C", join(app.directory, "src"), "good", "other"]);
  const several = await app.run(["skills", "add", "pack.tgz", "--yes"]);
  expect([several.code, several.err]).toEqual([2, expect.stringContaining("good, other")]);
  const one = await app.run(["skills", "add", "pack.tgz", "--only", "other", "--yes", "--json"]);
  expect(one.lines[0]).toMatchObject({ name: "other", installed: true, approved: true, source: pack });
  const removed = await app.run(["skills", "remove", "good", "--yes"]);
  expect([removed.code, existsSync(join(app.home, "workspace/skills/good"))]).toEqual([0, false]);
  expect(readFileSync(join(app.home, "skills.json"), "utf8")).not.toContain('"good"');
  expect((await app.run(["skills", "remove", "weather", "--yes"])).err).toContain("margay skills disable weather");
  expect((await app.run(["skills", "add", "nothing-here.tgz"])).code).toBe(1);
});

test("R208 R369 disable and enable change skills.disabled; an unknown name is answered with the nearest", async () => {
  const app = margay();
  expect((await app.run(["skills", "disable", "weather"])).code).toBe(0);
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toMatchObject({
    skills: { disabled: ["weather"] },
  });
  expect((await statuses(app))["weather"]).toBe("disabled");
  expect((await app.run(["skills", "enable", "weather"])).code).toBe(0);
  expect((await statuses(app))["weather"]).toBe("ready");
  const wrong = await app.run(["skills", "show", "wether"]);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("Did you mean weather?")]);
});

test("R209 list, show, validate and doctor name what is wrong with a skill", async () => {
  const app = margay();
  put(app, "broken", "---\nname: [x\n---\n");
  put(app, "strange", "---\nname: Other\ndescription: Use when: asked\nversion: 1\n---\nSay \u001b[31mred\u001b[0m.\n");
  const list = await app.run(["skills", "list"]);
  expect(list.out).toMatch(/broken +workspace +left out: broken YAML/);
  expect(list.out).toContain("strange: warning: the field version is unknown");
  const invalid = await app.run(["skills", "validate", "home/workspace/skills/strange"]);
  const asJson = await app.run(["skills", "validate", "home/workspace/skills/strange", "--json"]);
  expect(asJson).toMatchObject({ code: invalid.code, err: "" });
  expect(asJson.lines).toMatchObject([{ name: "strange", valid: false, errors: Array(4).fill(expect.any(String)) }]);
  expect([invalid.code, invalid.err.split("\n").length]).toEqual([1, 5]);
  const doctor = await app.run(["doctor"]);
  expect(doctor.out).toContain("The skill broken is left out: broken YAML");
  const shown = await app.run(["skills", "show", "strange"]);
  expect(shown.out).toContain("Say ␛[31mred");
  expect(shown.out).not.toContain("\u001b");
  writeFileSync(join(app.home, "skills.json"), "{");
  const damaged = await app.run(["skills", "list"]);
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("skills.json")]);
});

test("R123 R134 R205 the program offers its skills to the model and reads them inside a restricted workspace", async (t) => {
  const app = margay();
  const model = await startMockModel();
  t.onTestFinished(() => model.close());
  app.configure(modelConfig(model.url));
  model.replies(
    callsTool("use_skill", { name: "weather" }),
    callsTool("read_file", { path: "skills/weather/SKILL.md" }),
    says("sunny"),
  );
  const { code } = await app.run(["agent", "-m", "$summarize the weather"]);
  expect(code).toBe(0);
  const [first, second, third] = model.requests;
  expect(JSON.stringify(first?.messages)).toContain("\\n- weather: ");
  expect(first?.texts("user").join("\n")).toContain('<skill name="summarize"');
  expect(JSON.stringify(second?.messages.at(-1))).toContain("geocoding-api.open-meteo.com");
  expect(JSON.stringify(third?.messages.at(-1))).toContain("name: weather");
});

test("a copy of the bundled folder in the workspace is no shortcut: it waits for approval too", async () => {
  const app = margay();
  cpSync(join(bundledSkills(), "weather"), join(app.home, "workspace/skills/weather"), { recursive: true });
  const { out } = await app.run(["skills", "list", "--json"]);
  const both = (JSON.parse(out) as { name: string; from: string; status: string }[]).filter(
    ({ name }) => name === "weather",
  );
  expect(both.map(({ from, status }) => [from, status])).toEqual([
    ["workspace", "unapproved"],
    ["bundled", "ready"],
  ]);
});

test("R208 R369 R210 a skill that is disabled while the agent runs is announced as gone and cannot be used", async (t) => {
  const margayHome = margay();
  const model = await startMockModel();
  t.onTestFinished(() => model.close());
  const config = modelConfig(model.url) as never; // JSON by construction
  await using app = await openApp({ home: margayHome.home, config });
  model.replies(says("one"), callsTool("use_skill", { name: "weather" }), says("two"));
  await app.agent.send("cli:a", "first").finished;
  const { places } = app.loaded;
  const object = { ...modelConfig(model.url), skills: { disabled: ["weather"] } } as never;
  app.configure(loadConfig({ places, env: {}, userHome: margayHome.directory, object, t: translator("en") }));
  await app.agent.send("cli:a", "second").finished;
  expect(model.requests[1]?.texts("user").join("\n")).toContain("The skill weather is gone; do not use it.");
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("Error: no skill weather. Next: use one of ");
});
