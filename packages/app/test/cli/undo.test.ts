// `margay undo`: what a turn did to the workspace is taken back, with and without a process that works there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { margay, modelConfig, type Margay } from "./harness.ts";

async function withModel(): Promise<{ app: Margay; model: MockModel; workspace: string }> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const workspace = join(app.home, "workspace");
  mkdirSync(workspace, { recursive: true });
  return { app, model, workspace };
}

test("S4 inj-050 margay undo shows what it will do, asks, and gives back what a command deleted", async () => {
  const { app, model, workspace } = await withModel();
  writeFileSync(join(workspace, "a.txt"), "precious", { mode: 0o600 });
  model.replies(callsTool("exec", { command: "rm -rf ./* .[!.]*; echo x > new.txt" }), says("clean"));
  await app.run(["agent", "-m", "clean up"], { person: async () => "y" });
  expect(existsSync(join(workspace, "a.txt"))).toBe(false);

  const dry = await app.run(["undo", "--dry-run"]);
  expect(dry.out).toContain("cli:direct, turn 1,");
  expect(dry.out).toMatch(/^ {2}recreate a\.txt$/m);
  expect(dry.out).toMatch(/^ {2}delete {3}new\.txt$/m);
  expect(existsSync(join(workspace, "new.txt"))).toBe(true);

  const nobody = await app.run(["undo"]);
  expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was changed.") });
  const done = await app.run(["undo", "cli:direct"], { person: async () => "y" });
  expect(done).toMatchObject({ code: 0, err: expect.stringMatching(/^Take back \d+ change\(s\)\? \[y\/N\] $/) });
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("precious");
  expect(existsSync(join(workspace, "new.txt"))).toBe(false);

  const [undo, turn] = JSON.parse((await app.run(["undo", "--list", "--json"])).out) as Record<string, unknown>[];
  expect(turn).toMatchObject({ key: "cli:direct", number: 1, undone: undo?.["turn"] });
  expect((await app.run(["undo", "--yes"])).err).toBe("There is nothing to take back.\n");
  expect((await app.run(["undo", "cli:direct", "--turn", String(undo?.["turn"]), "--yes"])).code).toBe(0);
  expect(existsSync(join(workspace, "new.txt"))).toBe(true);
  const audit = (await app.run(["audit", "list", "--json"])).out;
  expect(audit).toContain("undo.finished");
});

test("SC34 the list marks what runs when somebody starts it", async () => {
  const { app, model } = await withModel();
  model.replies(callsTool("exec", { command: "echo 'all:' > Makefile; echo plain > notes.txt" }), says("made"));
  await app.run(["agent", "-m", "make"], { person: async () => "y" });
  const { out } = await app.run(["undo", "--dry-run"]);
  expect(out).toMatch(/^ {2}delete {3}Makefile \[runs when started\]$/m);
  expect(out).toMatch(/^ {2}delete {3}notes\.txt$/m);
  expect((await app.run(["undo", "--dry-run", "--lang", "zh-CN"])).out).toContain("Makefile [启动时会运行]");
});

test("S4 what was changed since is left alone without --force, and Chinese says so too", async () => {
  const { app, model, workspace } = await withModel();
  writeFileSync(join(workspace, "a.txt"), "old");
  model.replies(callsTool("write_file", { path: "a.txt", content: "new" }), says("done"));
  await app.run(["agent", "-m", "write"]);
  writeFileSync(join(workspace, "a.txt"), "by hand");
  const refused = await app.run(["undo", "--yes", "--lang", "zh-CN"]);
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining("a.txt — 不动：之后被别人改过") });
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("by hand");
  expect((await app.run(["undo", "--yes", "--force"])).code).toBe(0);
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("old");
});

test("S4 margay undo works through the process that holds the state directory", async () => {
  const { app, model, workspace } = await withModel();
  writeFileSync(join(workspace, "a.txt"), "old");
  model.replies(callsTool("write_file", { path: "a.txt", content: "new" }), says("done"));
  await app.run(["agent", "-m", "write"]);
  model.replies(callsTool("exec", { command: "true" }), says("later"));
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const person = (): Promise<string> => {
    asked.resolve();
    return answer.promise;
  };
  const running = app.run(["agent", "-m", "run it"], { person });
  await asked.promise;
  expect((await app.run(["undo", "cli:direct", "--turn", "1", "--yes"])).code).toBe(0);
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("old");
  answer.resolve("y");
  expect((await running).out).toBe("later\n");
});
