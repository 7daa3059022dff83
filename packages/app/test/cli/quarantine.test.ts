// `margay quarantine`: what commands left behind is shown, taken back as it was shown, or removed; alone and beside a process.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay, type Ran, type RunOptions } from "./harness.ts";

interface Place {
  readonly app: Margay;
  readonly model: MockModel;
  /** A path in the workspace. */
  at(path: string): string;
  quarantine(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  idOf(path: string): Promise<string>;
  list(): Promise<readonly Record<string, unknown>[]>;
}

/** A turn in which a command leaves things behind. */
async function left(command: string): Promise<Place> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  const workspace = join(app.directory, "workspace");
  mkdirSync(workspace);
  app.configure({ ...modelConfig(model.url), workspace, tools: { exec: { sandbox: "required" } } });
  model.replies(callsTool("exec", { command }), says("Made."));
  expect((await app.run(["agent", "-m", "make it"])).out).toBe("Made.\n");
  const quarantine = (argv: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    app.run(["quarantine", ...argv], options);
  const list = async (): Promise<readonly Record<string, unknown>[]> => JSON.parse((await quarantine(["--json"])).out);
  return {
    app,
    model,
    at: (path) => join(workspace, path),
    quarantine,
    list,
    idOf: async (path) => String((await list()).find((item) => item["path"] === path)?.["id"]),
  };
}

const yes = async (): Promise<string> => "y";
const KNOWN = {
  id: expect.stringMatching(/^[0-9a-f]{8}$/),
  at: expect.any(Number),
  sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
};

test("SC33 margay quarantine lists what was kept aside, and shows what is in it so that it acts on nothing", async () => {
  const { quarantine, list, idOf } = await left(
    "printf 'export A=1\\n\\033[2Jcleared\\n' > .envrc; git init -q lib; git -C lib config core.fsmonitor ./x; mkdir .vscode; echo run > .vscode/tasks.json",
  );
  expect((await list()).toSorted((one, other) => (String(one["path"]) < String(other["path"]) ? -1 : 1))).toEqual([
    { ...KNOWN, path: ".envrc", why: ".envrc", kind: "file", bytes: 23 },
    { ...KNOWN, path: ".vscode", why: ".vscode", kind: "directory", bytes: 4 },
    { ...KNOWN, path: "lib/.git/config", why: "core.fsmonitor", kind: "file", bytes: expect.any(Number) },
  ]);
  const listed = await quarantine([]);
  expect(listed.out).toMatch(
    /^Left behind by commands and kept aside, because each would run by itself:\n {2}[0-9a-f]{8} {2}\S+ /,
  );
  expect(listed.out).toMatch(/lib\/\.git\/config +core\.fsmonitor +file, \d+ bytes +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/);
  expect(listed.out).toContain("To see what is in one: margay quarantine show ID · to put it back:");

  const shown = await quarantine(["show", await idOf(".envrc")]);
  expect(shown.out).toMatch(
    /^\.envrc \(file, 23 bytes, .*\)\nkept aside for: \.envrc\nsha256 [0-9a-f]{64}\n {2}export A=1\n {2}␛\[2Jcleared\n$/,
  );
  expect((await quarantine(["show", await idOf(".vscode")])).out).toContain(
    "\n  tasks.json\n  \n  tasks.json:\n      run\n",
  );
  const whole = JSON.parse((await quarantine(["show", await idOf("lib/.git/config"), "--json"])).out);
  expect(whole).toMatchObject({ ...KNOWN, text: expect.stringContaining("fsmonitor = ./x") });
});

test("SC33 restore shows, asks, and puts back what was shown; a no leaves it", async () => {
  const { quarantine, idOf, at, list } = await left("echo 'export A=1' > .envrc");
  const id = await idOf(".envrc");
  expect(await quarantine(["restore", id])).toMatchObject({ code: 1, err: "Nothing was changed.\n" }); // nobody to ask
  expect(await quarantine(["restore", id], { person: async () => "n" })).toMatchObject({ code: 1 });
  expect(existsSync(at(".envrc"))).toBe(false);
  const done = await quarantine(["restore", id], { person: yes });
  expect(done).toMatchObject({ code: 0, err: "Put this back to .envrc, where it runs by itself? [y/N] " });
  expect(done.out).toMatch(/\n {2}export A=1\n\.envrc is back at its place, and yours\.\n$/);
  expect(readFileSync(at(".envrc"), "utf8")).toBe("export A=1\n");
  expect(await list()).toEqual([]);
  expect((await quarantine([])).out).toBe("Nothing is kept aside.\n");
  expect(await quarantine(["restore", id], { person: yes })).toMatchObject({
    code: 1,
    err: `Nothing is kept aside as ${id}. It may have been taken back or removed. Next: see what there is: margay quarantine\n`,
  });
});

test("SC33 what changed after it was shown is not put back, nor is anything put over what is there", async () => {
  const { quarantine, idOf, at, app } = await left("echo 'export A=1' > .envrc");
  const id = await idOf(".envrc");
  const changes = async (): Promise<string> => {
    writeFileSync(join(app.home, "quarantine", id, "content"), "something else by now\n");
    return "y";
  };
  const changed = { code: 1, err: expect.stringContaining(`Next: look again: margay quarantine show ${id}\n`) };
  expect(await quarantine(["restore", id], { person: changes })).toMatchObject(changed);
  expect(existsSync(at(".envrc"))).toBe(false);
  writeFileSync(at(".envrc"), "mine\n");
  expect(await quarantine(["restore", id], { person: yes })).toMatchObject({
    code: 1,
    err: expect.stringContaining("Something else is at .envrc by now, so nothing was changed. Next: move that away"),
  });
  expect(readFileSync(at(".envrc"), "utf8")).toBe("mine\n");
});

test("SC33 a script says which content it means; nothing asks it", async () => {
  const { quarantine, idOf, at, list } = await left("echo 'export A=1' > .envrc");
  const id = await idOf(".envrc");
  const person = (): Promise<string> => Promise.reject(new Error("asked"));
  const needsHash = `--yes --sha256 HASH. The hash is in margay quarantine show ${id} --json`;
  for (const argv of [["--yes"], ["--json"], ["--json", "--yes"]]) {
    const { code, out, err } = await quarantine(["restore", id, ...argv], { person });
    expect([code, `${out}${err}`.includes(needsHash)]).toEqual([2, true]);
  }
  const other = "0".repeat(64);
  expect((await quarantine(["restore", id, "--yes", "--json", "--sha256", other])).lines).toEqual([
    { id, status: "changed" },
  ]);
  const [item] = await list();
  const done = await quarantine(["restore", id, "--yes", "--json", "--sha256", String(item?.["sha256"])], { person });
  expect(done).toMatchObject({ code: 0, lines: [{ id, status: "taken back", path: ".envrc" }] });
  expect(existsSync(at(".envrc"))).toBe(true);
});

test("SC33 delete asks, and removes it for good", async () => {
  const { quarantine, idOf, at, app } = await left("echo evil > .envrc");
  const id = await idOf(".envrc");
  expect(await quarantine(["delete", id])).toMatchObject({ code: 1, err: "Nothing was changed.\n" });
  expect(await quarantine(["delete", id], { person: yes })).toMatchObject({
    code: 0,
    out: ".envrc is removed.\n",
    err: "Remove .envrc for good? [y/N] ",
  });
  expect([existsSync(at(".envrc")), existsSync(join(app.home, "quarantine", id))]).toEqual([false, false]);
  expect(await quarantine(["delete", id, "--yes"])).toMatchObject({ code: 1 });
});

test("SC33 a secret that margay knows is not shown, and what a name holds makes no line", async () => {
  const { quarantine, idOf } = await left(
    "printf 'key=test-key-%s' for-mock > .npmrc; printf x > \"$(printf 'a\\nb.code-workspace')\"",
  );
  const shown = (await quarantine(["show", await idOf(".npmrc")])).out;
  expect([shown.includes("key="), shown.includes("test-key-for-mock")]).toEqual([true, false]);
  expect((await quarantine([])).out).toContain("  a\\nb.code-workspace  ");
});

test("SC33 margay quarantine speaks Chinese, and its help teaches", async () => {
  const { quarantine, idOf } = await left("echo evil > .envrc");
  const listed = await quarantine(["--lang", "zh-CN"]);
  expect(listed.out).toContain("以下内容由命令留下，因为会自行运行而被另行保存：");
  expect(listed.out).toContain("文件，5 字节");
  const done = await quarantine(["delete", await idOf(".envrc"), "--yes", "--lang", "zh-CN"]);
  expect(done.out).toBe(".envrc 已删除。\n");
  const help = (await quarantine(["restore", "--help"])).out;
  expect(help).toContain("margay quarantine restore 5f3a9c01 --yes --sha256 HASH");
  expect((await quarantine(["--help", "--lang", "zh-CN"])).out).toContain("另行保存 30 天");
  expect(await quarantine(["retsore", "x"])).toMatchObject({ code: 2, err: expect.stringContaining("restore") });
});

test("SC33 margay quarantine works through the process that holds the state directory", async () => {
  const { app, model, quarantine, idOf, at, list } = await left("echo one > .envrc; echo two > .vimrc");
  model.replies(callsTool("write_file", { path: ".npmrc", content: "x" }), says("later"));
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const person = (): Promise<string> => {
    asked.resolve();
    return answer.promise;
  };
  const running = app.run(["agent", "-m", "run it", "--session", "cli:other"], { person });
  await asked.promise;
  const id = await idOf(".envrc");
  expect((await quarantine(["show", id])).out).toContain("\n  one\n");
  expect((await quarantine(["restore", id], { person: yes })).out).toContain(".envrc is back at its place, and yours.");
  expect(readFileSync(at(".envrc"), "utf8")).toBe("one\n");
  expect(await quarantine(["restore", id], { person: yes })).toMatchObject({ code: 1 });
  expect((await quarantine(["delete", await idOf(".vimrc"), "--yes"])).out).toBe(".vimrc is removed.\n");
  expect(await list()).toEqual([]);
  rmSync(at(".envrc"));
  answer.resolve("y");
  expect((await running).out).toBe("later\n");
});
