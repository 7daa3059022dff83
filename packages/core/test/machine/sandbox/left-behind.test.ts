// What commands leave in a workspace that runs by itself outside of the sandbox: kept aside, and given back as it was.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openQuarantine } from "../../../src/machine/sandbox/quarantine/quarantine.ts";
import type { LeftReport } from "../../../src/machine/sandbox/quarantine/keeper.ts";
import { systemClock } from "../../../src/machine/system/clock.ts";
import { createPlace, runIn, start, type Place } from "./support.ts";

const NAMES =
  `AGENTS.md SOUL.md memory skills .envrc .mise.toml mise.toml .tool-versions .vscode .idea .devcontainer a.code-workspace .vimrc .exrc
  .nvim.lua .nvimrc .dir-locals.el .cargo/config.toml .cargo/config .yarnrc .yarnrc.yml .npmrc .pnpmfile.cjs .husky .gdbinit .lldbinit .mcp.json .claude
  .cursor .cursorrules .windsurfrules CLAUDE.md GEMINI.md .github/copilot-instructions.md .zed .helix .config/mise.toml .hg/hgrc`.split(
    /\s+/,
  );
/** Only in the top folder. */
const TOP = new Set(["SOUL.md", "memory", "skills"]);

function quarantineOf(place: Place): ReturnType<typeof openQuarantine> {
  return openQuarantine(join(place.state, "quarantine"));
}

/** Every file and folder, without what is inside repositories. */
function tree(place: Place): readonly string[] {
  return fs
    .readdirSync(place.workspace, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.includes(".git/"))
    .toSorted();
}

function whys({ kept }: LeftReport): readonly string[] {
  return kept.map(({ path, why }) => `${path}: ${why}`).toSorted();
}

for (const folder of ["", "lib/deep", "node_modules/a", "build"])
  test(`SC32 SC33 EX9 every name that runs by itself is kept aside with its content (in ${folder || "the top folder"})`, async () => {
    using place = createPlace();
    const names = NAMES.filter((name) => folder === "" || !TOP.has(name)).map((name) => join(folder, name));
    const plant = names.map((name) => `mkdir -p '${dirname(name)}'; echo 'evil ${name}' > '${name}'`).join("; ");
    const report = await runIn(place.sandbox(), place.request(`${plant}; echo plain > ${join(folder, "plain.txt")}`));
    expect(report.kept.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
    expect(tree(place).filter((path) => fs.statSync(join(place.workspace, path)).isFile())).toEqual([
      join(folder, "plain.txt"),
    ]);
    const items = await quarantineOf(place).list();
    expect(items.map(({ path, text }) => `${text}`.trim() === `evil ${path}`)).toEqual(names.map(() => true));
  });

test("SC33 what was there before stays as it is, and is not changed", async () => {
  using place = createPlace();
  const file = (name: string): string => join(place.workspace, name);
  fs.mkdirSync(file(".vscode"));
  fs.writeFileSync(file(".vscode/settings.json"), "mine");
  fs.writeFileSync(file("AGENTS.md"), "mine");
  fs.symlinkSync("AGENTS.md", file("CLAUDE.md"));
  fs.writeFileSync(file("real.md"), "mine");
  fs.symlinkSync("real.md", file("GEMINI.md"));
  const attack =
    "for f in .vscode/settings.json AGENTS.md CLAUDE.md real.md; do echo evil > $f; done; rm CLAUDE.md && ln -s plain CLAUDE.md; echo evil > plain; rm -r .vscode; exit 0";
  const report = await runIn(place.sandbox(), place.request(attack));
  for (const name of [".vscode/settings.json", "AGENTS.md", "CLAUDE.md", "real.md", "GEMINI.md"])
    expect([name, fs.readFileSync(file(name), "utf8")]).toEqual([name, "mine"]);
  expect(fs.readlinkSync(file("CLAUDE.md"))).toBe("AGENTS.md");
  expect(whys(report)).toEqual(["CLAUDE.md: CLAUDE.md was a link to AGENTS.md"]);
});

test("SC33 a folder that is moved takes along what is a person's, and what takes its place is kept aside", async () => {
  using place = createPlace();
  fs.mkdirSync(join(place.workspace, "app/.vscode"), { recursive: true });
  fs.writeFileSync(join(place.workspace, "app/.vscode/tasks.json"), "mine");
  const attack = "mv app moved && mkdir -p app/.vscode && echo evil > app/.vscode/tasks.json";
  const report = await runIn(place.sandbox(), place.request(attack));
  expect(fs.readFileSync(join(place.workspace, "moved/.vscode/tasks.json"), "utf8")).toBe("mine");
  expect(whys(report)).toEqual(["app/.vscode: .vscode"]);
});

test("SC36 while a command runs it is kept aside within 0.2 s, in a folder made meanwhile within 1.2 s", async () => {
  using place = createPlace();
  fs.mkdirSync(join(place.workspace, "lib"));
  const gone = (path: string): string =>
    `mkdir -p $(dirname ${path}); s=$(date +%s%N); echo evil > ${path}; while [ -e ${path} ]; do sleep 0.01; done; echo $(( ($(date +%s%N) - s) / 1000000 ))`;
  // The quickest of each: what others do to the machine meanwhile is not ours.
  const best = [Infinity, Infinity, Infinity];
  const isIn = (): boolean => best.every((time, index) => time <= (BOUNDS_MS[index] ?? 0));
  for (let round = 0; round < 3 || (round < 40 && !isIn()); round += 1) {
    const command = [".envrc", "lib/.vscode", `new${round}/deep/er/.envrc`].map(gone).join("; ");
    const { output } = await runIn(
      place.sandbox(),
      place.request(`timeout 20 bash -c '${command.replaceAll("'", `'\\''`)}'`),
    );
    for (const [index, time] of output.trim().split("\n").map(Number).entries())
      best[index] = Math.min(best[index] ?? 0, time);
  }
  expect([isIn(), best]).toEqual([true, best]);
});
const BOUNDS_MS = [200, 200, 1_200];

const GIT = "git -c user.name=a -c user.email=a@b";
const TRAPS: Readonly<Record<string, readonly [command: string, ...kept: string[]]>> = {
  "a program that git status starts": [
    "git init -q lib && git -C lib config core.fsmonitor ./evil",
    "lib/.git/config: core.fsmonitor",
  ],
  "hooks of a new repository": [
    "git init -q lib && echo evil > lib/.git/hooks/post-checkout",
    "lib/.git/hooks/post-checkout: hook post-checkout",
  ],
  "hooks that are a link": [
    "git init -q lib && rm -r lib/.git/hooks && mkdir h && echo evil > h/pre-commit && ln -s ../../h lib/.git/hooks",
    "lib/.git/hooks: hooks",
  ],
  "a folder that only looks like a repository": [
    "git init -q --bare a/b && printf '[core]\\n\\tfsmonitor = ./evil\\n\\tworktree = ../..\\n' >> a/b/config",
    "a/b/config: core.fsmonitor, core.worktree",
  ],
  "a configuration that lies elsewhere": [
    "git init -q --bare real && mkdir -p trap/objects trap/refs && echo 'ref: refs/heads/m' > trap/HEAD && echo ../real > trap/commondir",
    "trap/commondir: commondir leads elsewhere",
  ],
  "a .git that leads out of the workspace": [
    "mkdir d && echo 'gitdir: /tmp/evil' > d/.git",
    "d/.git: .git leads elsewhere",
  ],
  "a .git that is a link": ["git init -q real && mkdir d && ln -s ../real/.git d/.git", "d/.git: .git leads elsewhere"],
  "objects of another place": [
    "git init -q lib && mkdir -p lib/.git/objects/info && echo /home/x/.git/objects > lib/.git/objects/info/alternates",
    "lib/.git/objects/info/alternates: alternates leads elsewhere",
  ],
  "a configuration for worktrees": [
    "git init -q lib && git -C lib config extensions.worktreeConfig true && git -C lib config --worktree core.hooksPath x",
    "lib/.git/config.worktree: core.hookspath",
  ],
  "a configuration that is a link": [
    "git init -q lib && mv lib/.git/config c && ln -s ../../c lib/.git/config",
    "lib/.git/config: config is no plain file",
  ],
  "a submodule with its files outside": [
    "git init -q lib && mkdir -p lib/.git/modules && git init -q --bare lib/.git/modules/s && git -C lib/.git/modules/s config --unset core.bare && git config -f lib/.git/modules/s/config core.worktree ../../../../..",
    "lib/.git/modules/s/config: core.worktree",
  ],
  "in packages": [
    "mkdir -p node_modules/p && git init -q node_modules/p && git -C node_modules/p config core.pager ./evil",
    "node_modules/p/.git/config: core.pager",
  ],
};
describe("SC35 what makes git run a program, or leads it elsewhere, is kept aside:", () => {
  for (const [name, [command, ...kept]] of Object.entries(TRAPS))
    test(`${name}`, async () => {
      using place = createPlace();
      const report = await runIn(place.sandbox(), place.request(command));
      expect([report.output, whys(report)]).toEqual(["", kept]);
    });
});

test("SC35 good keys stay, so that the repository works as before", async () => {
  using place = createPlace();
  const make = `git init -q lib && cd lib && git remote add origin https://example.org/a && git config core.pager ./evil && echo x > f && git add f && ${GIT} commit -qm x`;
  const report = await runIn(place.sandbox(), place.request(make));
  expect(whys(report)).toEqual(["lib/.git/config: core.pager"]);
  const run = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "safe.directory=*", "-C", join(place.workspace, "lib"), ...args]).toString();
  expect(run("config", "--list", "--local")).not.toContain("pager");
  expect(run("remote", "get-url", "origin")).toBe("https://example.org/a\n");
  expect(run("log", "--oneline")).toContain("x");
});

test("SC35 worktrees, submodules and clones that git makes are left alone", async () => {
  using place = createPlace();
  const make = [
    `git init -q own && cd own && echo x > f && git add f && ${GIT} commit -qm x`,
    "git worktree add -q ../tree -b other",
    "cd .. && git clone -q own copy",
    `git init -q top && cd top && ${GIT} -c protocol.file.allow=always submodule --quiet add "$PWD/../own" sub`,
    `${GIT} commit -qm y && git status --short && cd ../tree && git status --short`,
  ].join(" && ");
  const report = await runIn(place.sandbox(), place.request(make));
  expect([report.code, report.output, whys(report)]).toEqual([0, "", []]);
  expect(
    (await runIn(place.sandbox(), place.request("git -C tree log --oneline && git -C top/sub log --oneline"))).code,
  ).toBe(0);
});

test("SC38 L8 a command sees what is there and nothing else", async () => {
  using place = createPlace();
  fs.mkdirSync(join(place.workspace, "lib/.vscode"), { recursive: true });
  execFileSync("git", ["init", "-q", join(place.workspace, "lib")]);
  fs.writeFileSync(join(place.workspace, "AGENTS.md"), "");
  const list = (): readonly string[] =>
    fs.readdirSync(place.workspace, { recursive: true, encoding: "utf8" }).toSorted();
  const before = list();
  const sandbox = place.sandbox();
  const inside = async (): Promise<readonly string[]> =>
    (await runIn(sandbox, place.request("find . -mindepth 1 -printf '%P\\n'"))).output.trim().split("\n").toSorted();
  expect(await inside()).toEqual(before);
  expect(list()).toEqual(before);
  const others = Promise.all([inside(), inside()]);
  expect(await others).toEqual([before, before]);
  const status = await runIn(sandbox, place.request("cd lib && git status --short && ls -A"));
  expect(status.output).toBe(".git\n.vscode\n");
});

test("SC33 what a command left is kept aside although margay was killed while it ran", async () => {
  using place = createPlace();
  const command = await place
    .sandbox()
    .wrap(place.request("echo evil > .envrc; git init -q lib; git -C lib config core.pager x"));
  if (typeof command === "string") throw new Error(command);
  await start(command); // and nobody looks
  const later = await place.sandbox().keepAside(structuredClone(command.lease));
  expect(whys(await later.end())).toEqual([".envrc: .envrc", "lib/.git/config: core.pager"]);
});

test("SC33 of two commands at once each is told, and what comes first is kept once", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const slow = runIn(sandbox, place.request("touch began; while [ ! -e go ]; do sleep 0.02; done"));
  while (!fs.existsSync(join(place.workspace, "began"))) await systemClock().sleep(5, new AbortController().signal);
  const quick = await runIn(sandbox, place.request("echo evil > .envrc"));
  fs.writeFileSync(join(place.workspace, "go"), "");
  expect([whys(quick), whys(await slow)]).toEqual([[".envrc: .envrc"], [".envrc: .envrc"]]);
  expect(await quarantineOf(place).list()).toHaveLength(1);
});

test("SC33 what margay itself writes while a command runs is no command's, until the command changes it", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const wait = "touch began; while [ ! -e go ]; do sleep 0.02; done";
  const running = runIn(sandbox, place.request(`${wait}; echo evil >> .envrc`));
  while (!fs.existsSync(join(place.workspace, "began"))) await systemClock().sleep(5, new AbortController().signal);
  for (const name of ["memory/MEMORY.md", ".envrc", ".vimrc"]) {
    sandbox.writing(name);
    fs.mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
    fs.writeFileSync(join(place.workspace, name), "mine", { mode: 0o666 });
    fs.chmodSync(join(place.workspace, name), 0o666);
  }
  // Longer than a look takes, and than ours may be on its way.
  await systemClock().sleep(5_500, new AbortController().signal);
  fs.writeFileSync(join(place.workspace, "go"), "");
  expect(whys(await running)).toEqual([".envrc: .envrc"]);
  expect(fs.readFileSync(join(place.workspace, "memory/MEMORY.md"), "utf8")).toBe("mine");
  expect(fs.readFileSync(join(place.workspace, ".vimrc"), "utf8")).toBe("mine");
});

test("SC33 what margay wrote itself while a command ran stays its own when it was killed before the command ended", async () => {
  using place = createPlace();
  const killed = place.sandbox();
  const command = await killed.wrap(place.request("echo evil > .vimrc"));
  if (typeof command === "string") throw new Error(command);
  const watch = await killed.keepAside(command.lease);
  killed.writing("memory/MEMORY.md");
  fs.mkdirSync(join(place.workspace, "memory"));
  fs.writeFileSync(join(place.workspace, "memory/MEMORY.md"), "mine");
  await watch.end();
  await start(command);
  // Nothing of this process is known to the next but what lies in the state directory.
  const later = await place.sandbox().keepAside(structuredClone(command.lease));
  expect(whys(await later.end())).toEqual([".vimrc: .vimrc"]);
  expect(fs.readFileSync(join(place.workspace, "memory/MEMORY.md"), "utf8")).toBe("mine");
});

test("SC33 SC35 what a person changes meanwhile of their own stays: in a folder that was there, and keys that were there", async () => {
  using place = createPlace();
  const file = (name: string): string => join(place.workspace, name);
  fs.mkdirSync(file(".vscode"));
  execFileSync("git", ["init", "-q", file("own")]);
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "safe.directory=*", "-C", file("own"), ...args]);
  git("config", "filter.lfs.clean", "git-lfs clean -- %f");
  const wait = "touch began; while [ ! -e go ]; do sleep 0.02; done";
  const running = runIn(place.sandbox(), place.request(wait));
  while (!fs.existsSync(file("began"))) await systemClock().sleep(5, new AbortController().signal);
  fs.writeFileSync(file(".vscode/settings.json"), "mine");
  git("config", "user.name", "me");
  fs.writeFileSync(file("go"), "");
  expect(whys(await running)).toEqual([]);
  expect(fs.readFileSync(file(".vscode/settings.json"), "utf8")).toBe("mine");
  expect(fs.readFileSync(file("own/.git/config"), "utf8")).toMatch(/clean = git-lfs[^]*name = me/);
});

test("SC31 the configuration of a repository is open to a command that is about it, and judged; to no other", async () => {
  using place = createPlace();
  execFileSync("git", ["init", "-q", join(place.workspace, "own")]);
  const sandbox = place.sandbox();
  const run = async (command: string): Promise<readonly unknown[]> => {
    const report = await runIn(sandbox, place.request(command, { directory: join(place.workspace, "own") }));
    return [report.code, report.output, whys(report)];
  };
  const setUp = `git remote add origin https://example.org/a && git config branch.main.description x && git checkout -q -b main2`;
  expect(await run(setUp)).toEqual([0, "", []]);
  expect(await run("git config core.pager ./evil; git config user.name me")).toEqual([
    0,
    "",
    ["own/.git/config: core.pager"],
  ]);
  const config = fs.readFileSync(join(place.workspace, "own/.git/config"), "utf8");
  expect([config.includes("evil"), config.includes("name = me"), config.includes("example.org")]).toEqual([
    false,
    true,
    true,
  ]);
  expect(await run("echo '[core]' >> .git/config")).toEqual([1, expect.stringContaining("Read-only"), []]);
  expect(await run("x=conf; y=ig; git $x$y user.name you")).toMatchObject([
    4,
    expect.stringContaining("Device or resource busy"),
    [],
  ]);
});

test("SC33 nothing outside of the workspace is moved, however a command exchanges folders for links", async () => {
  using place = createPlace();
  const outside = join(place.root, "outside");
  fs.mkdirSync(join(outside, ".vscode"), { recursive: true });
  fs.writeFileSync(join(outside, ".envrc"), "theirs");
  fs.chmodSync(outside, 0o777);
  const swap = `end=$((SECONDS + 3)); n=0; while [ $SECONDS -lt $end ]; do n=$((n+1)); mkdir d; echo evil > d/.envrc; mkdir -p d/.vscode; mv d "old$n"; ln -s '${outside}' d; rm d; done`;
  const report = await runIn(place.sandbox(), place.request(swap));
  expect(report.kept.length).toBeGreaterThan(0);
  expect(fs.readdirSync(outside).toSorted()).toEqual([".envrc", ".vscode"]);
  expect(fs.readFileSync(join(outside, ".envrc"), "utf8")).toBe("theirs");
  expect(
    fs.readdirSync(place.workspace, { recursive: true, encoding: "utf8" }).filter((path) => /envrc|vscode/.test(path)),
  ).toEqual([]);
});

test("SC33 where the workspace is another file system it stays beside its place, under a name that nothing obeys", async () => {
  using place = createPlace();
  const state = fs.realpathSync(fs.mkdtempSync("/dev/shm/margay-state-"));
  try {
    const report = await runIn(
      place.sandbox({ state }),
      place.request("mkdir .vscode; echo evil > .vscode/tasks.json"),
    );
    expect(whys(report)).toEqual([".vscode: .vscode"]);
    const [item] = report.kept;
    expect(fs.readdirSync(place.workspace)).toEqual([`.vscode.refused-${item?.id}`]);
    const quarantine = openQuarantine(join(state, "quarantine"));
    const [shown] = await quarantine.list();
    expect(shown?.text).toBe("tasks.json\n\ntasks.json:\n    evil");
    expect(await quarantine.takeBack(item?.id ?? "", shown?.sha256 ?? "", "me")).toEqual({
      status: "taken back",
      path: ".vscode",
    });
    expect(fs.readFileSync(join(place.workspace, ".vscode/tasks.json"), "utf8")).toBe("evil\n");
    expect(await quarantine.list()).toEqual([]);
  } finally {
    fs.rmSync(state, { recursive: true, force: true });
  }
});

test("SC33 what is taken back is what was shown, at a place where nothing else is by now", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  await runIn(
    sandbox,
    place.request(
      "echo evil > .envrc; git init -q lib; git -C lib config core.pager less; mkdir -p a/.idea/x; ln -s y a/.idea/l",
    ),
  );
  const quarantine = quarantineOf(place);
  const items = await quarantine.list();
  const one = (path: string): { readonly id: string; readonly sha256: string } => {
    const found = items.find((item) => item.path === path);
    if (found === undefined) throw new Error(`${path} is not there`);
    return found;
  };
  const envrc = one(".envrc");
  expect(await quarantine.takeBack(envrc.id, "other", "me")).toEqual({ status: "changed" });
  fs.writeFileSync(join(place.workspace, ".envrc"), "mine");
  expect(await quarantine.takeBack(envrc.id, envrc.sha256, "me")).toEqual({ status: "occupied", path: ".envrc" });
  fs.rmSync(join(place.workspace, ".envrc"));
  fs.rmSync(join(place.workspace, "a"), { recursive: true });
  for (const path of [".envrc", "lib/.git/config", "a/.idea"]) {
    const { id, sha256 } = one(path);
    expect(await quarantine.takeBack(id, sha256, "me")).toEqual({ status: "taken back", path });
    expect(await quarantine.takeBack(id, sha256, "me")).toEqual({ status: "unknown" });
  }
  expect(fs.readFileSync(join(place.workspace, ".envrc"), "utf8")).toBe("evil\n");
  expect(fs.readFileSync(join(place.workspace, "lib/.git/config"), "utf8")).toContain("pager = less");
  expect(fs.readlinkSync(join(place.workspace, "a/.idea/l"))).toBe("y");
  // A person's by now: the next command finds them there, and can't change them.
  const report = await runIn(sandbox, place.request("echo more >> .envrc; cat .envrc"));
  expect([report.output.includes("evil"), whys(report)]).toEqual([true, []]);
});

test("SC33 of a folder the names are shown, then the texts in it; what is cut is said", async () => {
  using place = createPlace();
  await runIn(
    place.sandbox(),
    place.request(
      [
        "mkdir -p .vscode/deep; cd .vscode; printf 'one\\nsettings.json:\\n' > tasks.json; printf 'a\\0b' > deep/picture",
        "ln -s ../../x deep/link; seq 1 5000 > ../.envrc; mkdir ../.idea; seq 1 5000 > ../.idea/long; echo last > ../.idea/more",
      ].join("; "),
    ),
  );
  const items = new Map((await quarantineOf(place).list()).map((item) => [item.path, item]));
  expect(items.get(".vscode")).toMatchObject({
    kind: "directory",
    text: "deep/\ndeep/link -> ../../x\ndeep/picture\ntasks.json\n\ntasks.json:\n    one\n    settings.json:",
  });
  expect(items.get(".vscode")).not.toHaveProperty("cut");
  expect(items.get(".envrc")).toMatchObject({ cut: true, text: expect.stringMatching(/^1\n2\n/) });
  expect(items.get(".envrc")?.text).toHaveLength(20_000);
  expect(items.get(".idea")).toMatchObject({ cut: true, text: expect.stringMatching(/^long\nmore\n\nlong:\n {4}1\n/) });
});

test("SC33 quarantine/MAX_SHOWN_CHARS: 20,000 letters are shown, of one more it is said that it is cut", async () => {
  using place = createPlace();
  const letters = (count: number, path: string): string => `head -c ${count} /dev/zero | tr '\\0' x > ${path}`;
  await runIn(place.sandbox(), place.request(`${letters(20_000, ".envrc")}; ${letters(20_001, ".vimrc")}`));
  const shown = (await quarantineOf(place).list()).map(({ path, text, cut }) => [path, text?.length, cut]);
  expect(shown.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
    [".envrc", 20_000, undefined],
    [".vimrc", 20_000, true],
  ]);
});

test("SC33 where a folder on the way is none any more its place is occupied", async () => {
  using place = createPlace();
  await runIn(place.sandbox(), place.request("mkdir a b; echo evil > a/.envrc; echo evil > b/.envrc"));
  for (const name of ["a", "b"]) fs.rmSync(join(place.workspace, name), { recursive: true });
  fs.writeFileSync(join(place.workspace, "a"), "mine");
  fs.symlinkSync(place.root, join(place.workspace, "b"));
  const quarantine = quarantineOf(place);
  for (const { id, path, sha256 } of await quarantine.list())
    expect(await quarantine.takeBack(id, sha256, "me")).toEqual({ status: "occupied", path });
  expect((await quarantine.list()).length).toBe(2);
  expect(fs.existsSync(join(place.root, ".envrc"))).toBe(false);
});

test("SC33 it is removed after 30 days, or when a person says so", async () => {
  using place = createPlace();
  await runIn(place.sandbox(), place.request("echo evil > .envrc; echo evil > .vimrc"));
  const [first] = await quarantineOf(place).list();
  expect(await quarantineOf(place).remove(first?.id ?? "", "me")).toMatchObject({ status: "removed" });
  const days =
    (count: number): (() => number) =>
    () =>
      systemClock().now() + count * 86_400_000;
  const at = (count: number): ReturnType<typeof openQuarantine> =>
    openQuarantine(join(place.state, "quarantine"), days(count));
  expect(await at(29).list()).toHaveLength(1);
  expect(await at(31).list()).toEqual([]);
  expect(fs.readdirSync(join(place.state, "quarantine"))).toEqual([]);
});
