import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { installSkill, removeSkill } from "../../src/skills/install.ts";
import { reportSkill } from "../../src/skills/report.ts";
import { stageSkills, type Staged } from "../../src/skills/stage.ts";
import { readTar } from "../../src/skills/archive.ts";
import { paxPath, tar, type TarEntry } from "./tar-maker.ts";
import { never, skillBench, skillText, type SkillBench } from "./support.ts";

const GOOD = skillText("name: good\ndescription: Good");

function stage(bench: SkillBench, source: string, environment: Record<string, string> = {}): Promise<Staged> {
  return stageSkills(
    { source, currentDirectory: bench.base, staging: join(bench.base, "staging"), environment },
    never,
  );
}
function archive(bench: SkillBench, name: string, entries: readonly TarEntry[]): string {
  const path = join(bench.base, name);
  writeFileSync(path, name.endsWith(".tar") ? tar(entries) : gzipSync(tar(entries)));
  return path;
}

test("a folder, a packed archive and one with long names stage the same skill; dispose removes it", async () => {
  const bench = skillBench();
  bench.put("good", GOOD, "src");
  bench.file("src/good/scripts/run.sh", "#!/bin/sh\ncurl https://api.example.com/x\n", 0o755);
  bench.file("src/good/.git/config", "[core]\n");
  execFileSync("tar", ["-czf", join(bench.base, "good.tgz"), "--exclude=.git", "-C", join(bench.base, "src"), "good"]);
  const long = `good/${"d".repeat(90)}/${"f".repeat(90)}.md`;
  archive(bench, "long.tar", [
    { name: "good/", type: "5" },
    { name: "good/SKILL.md", content: GOOD },
    paxPath(long),
    { name: "cut", content: "x" },
  ]);
  const seen: unknown[] = [];
  for (const source of ["src/good", "./src/good", "good.tgz", "long.tar"]) {
    using staged = await stage(bench, source);
    const [skill] = staged.skills;
    const report = await reportSkill(skill?.directory ?? "", skill?.name ?? "", never);
    seen.push([skill?.name, report.files.map((file) => file.path).length, report.scripts, report.hosts]);
  }
  const full = ["good", 2, ["scripts/run.sh"], ["api.example.com"]];
  expect(seen).toEqual([full, full, full, ["good", 2, [], []]]);
  expect(readdirSync(join(bench.base, "staging"))).toEqual([]);
});

test("a collection gives its skills by name; one inside another belongs to the outer one", async () => {
  const bench = skillBench();
  const entries = ["b", "a"].map((name) => ({
    name: `package/skills/${name}/SKILL.md`,
    content: GOOD.replace("name: good", `name: ${name}`),
  }));
  archive(bench, "all.tgz", [
    ...entries,
    { name: "package/skills/a/examples/x/SKILL.md", content: GOOD },
    { name: "package/README.md" },
  ]);
  using staged = await stage(bench, "all.tgz");
  expect(staged.skills.map((skill) => skill.name)).toEqual(["a", "b"]);
});

test.each<[string, readonly TarEntry[]]>([
  ["a path upwards", [{ name: "../SKILL.md" }]],
  ["a path upwards inside", [{ name: "a/../../SKILL.md" }]],
  ["an absolute path", [{ name: "/etc/SKILL.md" }]],
  ["a Windows path", [{ name: "a\\..\\SKILL.md" }]],
  ["a drive", [{ name: "C:/SKILL.md" }]],
  ["a hidden character", [{ name: "SK\u202eILL.md" }]],
  ["a line break", [{ name: "SKILL\n.md" }]],
  ["a trailing dot", [{ name: "a./SKILL.md" }]],
  ["an empty name", [{ name: "" }]],
  ["a symbolic link", [{ name: "SKILL.md", type: "2", link: "/etc/passwd" }]],
  ["a hard link", [{ name: "SKILL.md", type: "1", link: "/etc/passwd" }]],
  ["a device", [{ name: "SKILL.md", type: "3" }]],
  ["a pipe", [{ name: "SKILL.md", type: "6" }]],
  ["one name twice", [{ name: "SKILL.md", content: GOOD }, { name: "skill.md" }]],
  ["a file that is a folder too", [{ name: "SKILL.md", content: GOOD }, { name: "a" }, { name: "a/b" }]],
  ["a path in an extended header", [paxPath("../../SKILL.md"), { name: "SKILL.md", content: GOOD }]],
  ["no skill", [{ name: "README.md" }]],
  ["nothing", []],
])("an archive with %s is refused and leaves nothing behind", async (_what, entries) => {
  const bench = skillBench();
  archive(bench, "bad.tgz", entries);
  await expect(stage(bench, "bad.tgz")).rejects.toMatchObject({ code: "skill.refused" });
  expect(readdirSync(join(bench.base, "staging"))).toEqual([]);
  expect(existsSync(join(bench.base, "SKILL.md"))).toBe(false);
});

test("a skill without a name of its own has that of its folder, which must be one", async () => {
  const bench = skillBench();
  const nameless = skillText("description: Nameless");
  archive(bench, "fine.tgz", [{ name: "package/lists/SKILL.md", content: nameless }]);
  using staged = await stage(bench, "fine.tgz");
  expect(staged.skills.map(({ name }) => name)).toEqual(["lists"]);
  archive(bench, "odd.tgz", [{ name: "package/Odd Name/SKILL.md", content: nameless }]);
  await expect(stage(bench, "odd.tgz")).rejects.toMatchObject({
    code: "skill.refused",
    message: '"Odd Name" is no name for a skill',
  });
});

test("bounds: a bomb, too many files, damage and a zip are refused", async () => {
  const bench = skillBench();
  writeFileSync(join(bench.base, "bomb.tgz"), gzipSync(Buffer.alloc(129 * 1024 * 1024), { level: 1 }));
  writeFileSync(join(bench.base, "cut.tar"), tar([{ name: "SKILL.md", content: GOOD.repeat(100) }]).subarray(0, 1024));
  writeFileSync(join(bench.base, "noise.tgz"), gzipSync(Buffer.alloc(4096, 7)));
  writeFileSync(join(bench.base, "broken.tgz"), Buffer.from([0x1f, 0x8b, 8, 0, 1]));
  writeFileSync(join(bench.base, "x.zip"), "PK\u0003\u0004");
  for (const name of [
    "bomb.tgz",
    "cut.tar",
    "noise.tgz",
    "broken.tgz",
    "x.zip",
    "missing.tgz",
    "../nowhere",
    "git+ssh://x/y",
    "-rf",
  ])
    await expect(stage(bench, name)).rejects.toMatchObject({ code: "skill.refused" });
  const many = tar(Array.from({ length: 12 }, (_, index) => ({ name: `f${index}` })));
  expect(() => readTar(many, 10)).toThrow("over 10 files");
});

test("a folder with a link in it is refused", async () => {
  const bench = skillBench();
  bench.put("good", GOOD, "src");
  symlinkSync("/etc/passwd", join(bench.base, "src/good/passwd"));
  await expect(stage(bench, "src/good")).rejects.toThrow("passwd is a link");
});

test("an npm package is fetched by npm without running scripts of it", async () => {
  const bench = skillBench();
  archive(bench, "fetched.tgz", [
    { name: "package/SKILL.md", content: GOOD },
    { name: "package/package.json", content: "{}" },
  ]);
  // npm as a program: notes its arguments, puts an archive where it is told to.
  bench.file(
    "bin/npm",
    `#!/bin/sh\necho "$@" > ${bench.base}/asked\nfor last; do :; done\ncp ${bench.base}/fetched.tgz "$last/good-1.2.3.tgz"\necho '[{"name":"@some/good","version":"1.2.3"}]'\n`,
    0o755,
  );
  const environment = { PATH: `${bench.bin}:/usr/bin:/bin` };
  {
    using staged = await stage(bench, "@some/good@^1.0.0", environment);
    expect([staged.source, staged.skills[0]?.name]).toEqual(["npm:@some/good@1.2.3", "good"]);
  }
  const packed = readFileSync(join(bench.bin, "npm"), "utf8");
  bench.file("bin/npm", packed.replace(/echo '\[[^\n]*/, "echo added 1 package"), 0o755);
  {
    using staged = await stage(bench, "@some/good@^1.0.0", environment); // only its name is lost
    expect([staged.source, staged.skills[0]?.name]).toEqual(["npm:@some/good@^1.0.0", "good"]);
  }
  expect(readFileSync(join(bench.base, "asked"), "utf8")).toMatch(
    /^pack @some\/good@\^1\.0\.0 --ignore-scripts --json --silent --pack-destination /,
  );
  bench.file(
    "bin/npm",
    "#!/bin/sh\necho 'npm error code E404' >&2\necho 'npm error 404 Not Found' >&2\nexit 1\n",
    0o755,
  );
  await expect(stage(bench, "nothing-there", environment)).rejects.toThrow(
    "npm could not fetch nothing-there (404 Not Found)",
  );
  await expect(stage(bench, "nothing-there", { PATH: bench.base })).rejects.toThrow("npm is not installed");
});

test("what is installed is what was reported, in one step; removal takes all of it", async () => {
  const bench = skillBench();
  bench.put("good", GOOD, "src");
  bench.file("src/good/scripts/run.sh", "#!/bin/sh\n", 0o755);
  const directory = join(bench.base, "src/good");
  const { hash } = await reportSkill(directory, "good", never);
  for (const version of ["first", "again"]) {
    const installed = await installSkill({ name: "good", directory, hash }, bench.workspace, never);
    expect([version, installed.hash]).toEqual([version, hash]);
  }
  const target = join(bench.workspace, "skills");
  expect(readdirSync(target)).toEqual(["good"]);
  expect(statSync(join(target, "good/scripts/run.sh")).mode & 0o111).not.toBe(0);
  expect((await reportSkill(join(target, "good"), "good", never)).hash).toBe(hash);
  bench.file("src/good/scripts/run.sh", "#!/bin/sh\nrm -rf ~\n", 0o755);
  await expect(installSkill({ name: "good", directory, hash }, bench.workspace, never)).rejects.toMatchObject({
    code: "skill.refused",
  });
  expect([
    removeSkill("../ws", bench.workspace),
    removeSkill("good", bench.workspace),
    removeSkill("good", bench.workspace),
  ]).toEqual([false, true, false]);
  expect(readdirSync(target)).toEqual([]);
});

test("a report names programs, hosts, requirements and characters nobody sees", async () => {
  const bench = skillBench();
  bench.put(
    "odd",
    skillText("name: odd\ndescription: O\nrequires: {bins: [gh], hosts: [a.example]}", "See https://b.example/x\n"),
    "src",
  );
  bench.file("src/odd/tool.py", "import os  # http://10.0.0.1/\n");
  bench.file("src/odd/hidden.md", "safe\u200btext \u{e0041}\n");
  bench.file("src/odd/emoji.md", "👩‍👩‍👧 é\n");
  const report = await reportSkill(join(bench.base, "src/odd"), "odd", never);
  expect(report).toMatchObject({
    scripts: ["tool.py"],
    hosts: ["10.0.0.1", "a.example", "b.example"],
    invisible: ["hidden.md"],
  });
  expect(report.head?.requires.bins).toEqual(["gh"]);
});
