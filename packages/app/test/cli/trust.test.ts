// `margay trust`: files that strangers had a hand in are shown and vouched for, with and without a process that works there.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { clonesRepository, savesLetter } from "../gateway/strangers-files.ts";
import { margay, modelConfig, type Margay } from "./harness.ts";

/** A turn that read what a stranger sent, and saved it in these files. */
async function saved(...names: readonly string[]): Promise<{ app: Margay; model: MockModel; workspace: string }> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const workspace = join(app.home, "workspace");
  savesLetter({ model, workspace }, ...names);
  await app.run(["agent", "-m", "save the letter"], { person: async () => "y" });
  return { app, model, workspace };
}

async function labelled(app: Margay): Promise<readonly unknown[]> {
  return (JSON.parse((await app.run(["trust", "--json"])).out) as readonly { path: string }[]).map(({ path }) => path);
}

test("SC15 margay trust lists what counts as strangers' text, asks, and vouches for it", async () => {
  const { app } = await saved("notes/page.md", "other.md");
  const nobody = await app.run(["trust"]);
  expect(nobody).toMatchObject({ code: 1, err: "Nothing was changed.\n" });
  expect(nobody.out).toMatch(
    /^These count as strangers' text:\n {2}notes\/page\.md +58 bytes +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +written after a stranger's text was read\n {2}other\.md /,
  );
  expect(await app.run(["trust"], { person: async () => "n" })).toMatchObject({ code: 1 });
  expect(await labelled(app)).toEqual(["notes/page.md", "other.md"]);

  const one = await app.run(["trust", "notes"], { person: async () => "y" });
  expect(one).toMatchObject({ code: 0, err: "Vouch for 1 of them, as they are now? [y/N] " });
  expect(one.out).toContain("1 yours from now on.");
  expect(await labelled(app)).toEqual(["other.md"]);

  expect(await app.run(["trust", "--yes"])).toMatchObject({ code: 0, err: "" });
  expect(await app.run(["trust"])).toEqual(
    expect.objectContaining({ code: 0, out: "No file of the workspace counts as strangers' text.\n", err: "" }),
  );
});

test("SC15 a file that changed after it was shown is not vouched for, and that is said", async () => {
  const { app, workspace } = await saved("page.md", "other.md");
  const person = async (): Promise<string> => {
    writeFileSync(join(workspace, "page.md"), "something else by now, and long enough to be known\n");
    return "y";
  };
  const ran = await app.run(["trust"], { person });
  expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("1 yours from now on.") });
  expect(ran.err).toContain("page.md has changed since it was shown, so it was left as it is.");
  expect(await labelled(app)).toEqual(["page.md"]);
});

test("SC15 paths are understood as people type them; what is outside is refused, what is no stranger's is said", async () => {
  const { app, workspace } = await saved("notes/page.md", "notes/more.md", "other.md");
  writeFileSync(join(workspace, "own.md"), "mine");
  symlinkSync(workspace, join(app.directory, "link"));
  const lists = async (...paths: readonly string[]): Promise<readonly string[]> =>
    (JSON.parse((await app.run(["trust", "--json", ...paths])).out) as readonly { path: string }[]).map(
      ({ path }) => path,
    );
  expect(await lists("home/workspace/notes/page.md")).toEqual(["notes/page.md"]); // from where they are
  expect(await lists(join(workspace, "notes/"))).toEqual(["notes/more.md", "notes/page.md"]);
  expect(await lists("./other.md", "notes/more.md")).toEqual(["notes/more.md", "other.md"]);
  expect(await lists("link/other.md")).toEqual(["other.md"]);
  expect(await lists(workspace)).toEqual(["notes/more.md", "notes/page.md", "other.md"]);
  expect(await app.run(["trust", "own.md", "gone.md"])).toMatchObject({
    code: 0,
    out: "Nothing there counts as strangers' text.\n",
  });
  for (const path of ["/etc/passwd", "home/config.json", "../elsewhere"])
    expect(await app.run(["trust", path])).toMatchObject({
      code: 2,
      err: expect.stringContaining("is outside the workspace"),
    });
});

test("SC15 --json alone lists and asks nobody; with --yes it says what became of each", async () => {
  const { app } = await saved("page.md");
  const list = await app.run(["trust", "--json"], { person: () => Promise.reject(new Error("asked")) });
  expect(list.lines).toEqual([
    [
      {
        path: "page.md",
        cause: "written after a stranger's text was read",
        at: expect.any(Number),
        bytes: 52,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  ]);
  expect((await app.run(["trust", "--json", "--yes"])).lines).toEqual([[{ path: "page.md", status: "endorsed" }]]);
  expect(await app.run(["trust", "--json", "--yes"])).toMatchObject({ code: 0, out: "[]\n" });
});

test("SC15 margay trust speaks Chinese", async () => {
  const { app } = await saved("page.md");
  const ran = await app.run(["trust", "--yes", "--lang", "zh-CN"]);
  expect(ran.out).toContain("以下文件被视为外来内容：");
  expect(ran.out).toContain("1 项已视为您自己的");
  expect((await app.run(["trust", "--help", "--lang", "zh-CN"])).out).toContain("列出被视为外来内容的文件");
});

test("SC15 margay trust works through the process that holds the state directory", async () => {
  const { app, model } = await saved("page.md");
  model.replies(callsTool("exec", { command: "true" }), says("later"));
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const person = (): Promise<string> => {
    asked.resolve();
    return answer.promise;
  };
  const running = app.run(["agent", "-m", "run it", "--session", "cli:other"], { person });
  await asked.promise;
  expect(await app.run(["trust", "page.md", "--yes"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("1 yours from now on."),
  });
  expect(await labelled(app)).toEqual([]);
  answer.resolve("y");
  expect((await running).out).toBe("later\n");
});

test("SC17 margay trust asks of a cloned repository whose it is, and takes either answer once", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  for (const [path, origin] of [
    ["cloned", "github.com/x/y"],
    ["mine", "github.com/x/z"],
  ] as const) {
    clonesRepository({ model, workspace: join(app.home, "workspace") }, path, origin);
    await app.run(["agent", "-m", "read it"]);
  }
  const { out } = await app.run(["trust"], { person: async () => "n" });
  expect(out).toMatch(/ {2}cloned\/ +directory +came from github\.com\/x\/y\. Yours, or a stranger's\?\n/);
  expect(await app.run(["trust", "--stranger", "cloned"])).toMatchObject({
    code: 0,
    out: "cloned/ is a stranger's.\n",
  });
  expect(await app.run(["trust", "--stranger", "cloned"])).toMatchObject({
    code: 1,
    err: "No repository there waits for an answer.\n",
  });
  expect(await app.run(["trust", "mine"], { person: async () => "y" })).toMatchObject({ code: 0 });
  expect((await app.run(["trust"], { person: async () => "n" })).out).toMatch(
    /^These count as strangers' text:\n {2}cloned\/ +directory +came from github\.com\/x\/y\n$/,
  );
});
