import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "./harness.ts";

function withFiles(): Margay & { readonly memory: string } {
  const app = margay();
  const workspace = join(app.directory, "workspace");
  const memory = join(workspace, "memory");
  mkdirSync(memory, { recursive: true });
  app.configure({ workspace });
  return { ...app, memory };
}

test("memory show and memory log print the files, newest entries last", async () => {
  const app = withFiles();
  expect((await app.run(["memory", "show"])).out).toBe("The memory is empty.\n");
  expect((await app.run(["memory", "log", "--lang", "zh-CN"])).out).toBe("日志是空的。\n");
  writeFileSync(join(app.memory, "MEMORY.md"), "- likes \u001b[31mtea\n");
  writeFileSync(
    join(app.memory, "HISTORY.md"),
    "[2026-01-01 10:00] One.\n\n[2026-01-02 10:00] Two.\n\n[2026-01-03 10:00] Three.\n",
  );
  expect((await app.run(["memory", "show"])).out).toBe("- likes ␛[31mtea\n");
  expect((await app.run(["memory", "log", "--limit", "2"])).out).toBe(
    "[2026-01-02 10:00] Two.\n\n[2026-01-03 10:00] Three.\n",
  );
  expect((await app.run(["memory", "log", "--limit", "1", "--json"])).lines).toEqual([
    { text: "[2026-01-03 10:00] Three." },
  ]);
});

test("memory search finds facts, the log and what was said; what was deleted is not found any more", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = withFiles();
  app.configure({ ...modelConfig(model.url), workspace: join(app.directory, "workspace") });
  writeFileSync(join(app.memory, "MEMORY.md"), "- likes green tea\n");
  model.replies(says("Green tea it is."));
  expect((await app.run(["agent", "-m", "which tea is green?"])).code).toBe(0);
  const { out } = await app.run(["memory", "search", "tea green"]);
  expect(out).toBe("memory:1: - likes green tea\ncli:direct:2: Green tea it is.\ncli:direct:1: which tea is green?\n");
  await app.run(["sessions", "delete", "cli:direct", "--yes"]);
  expect((await app.run(["memory", "search", "tea green"])).out).toBe("memory:1: - likes green tea\n");
  expect(await app.run(["memory", "search", "coffee"])).toMatchObject({ code: 1, out: "", err: "Nothing found.\n" });
});

test("memory edit opens the file with the editor and says what to do without one", async () => {
  const app = withFiles();
  const path = join(app.memory, "MEMORY.md");
  expect((await app.run(["memory", "edit"])).err).toBe(
    `No editor is known here. Set EDITOR, or open ${path} yourself.\n`,
  );
  expect(existsSync(path)).toBe(false);
  const editor = join(app.directory, "editor.mjs");
  writeFileSync(editor, 'import { appendFileSync } from "node:fs"; appendFileSync(process.argv[2], "- edited\\n");');
  chmodSync(editor, 0o700);
  const env = { EDITOR: `${process.execPath} ${editor}` };
  expect((await app.run(["memory", "edit"], { env })).code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe("- edited\n");
  expect((await app.run(["memory", "edit"], { env: { VISUAL: "no-such-editor" } })).err).toContain(
    "no-such-editor could not be used",
  );
});

test("R121 R122 R193 the app offers remember and recall, and a subagent only recall", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = withFiles();
  app.configure({ ...modelConfig(model.url), workspace: join(app.directory, "workspace") });
  const child = (text: string): boolean => text.includes("look it up");
  model.route((request) => request.texts("user").some(child) && !request.toolNames.includes("spawn"), says("found"));
  model.replies(
    callsTool("remember", { text: "Likes green tea" }),
    callsTool("recall", { query: "green tea" }),
    callsTool("spawn", { task: "look it up", wait: true }),
    says("done"),
  );
  expect((await app.run(["agent", "-m", "I like green tea"])).out).toContain("done");
  expect(readFileSync(join(app.memory, "MEMORY.md"), "utf8")).toBe("- Likes green tea\n");
  const results = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
  expect(results.slice(0, 2)).toEqual(["Remembered.", expect.stringContaining("memory:1: - Likes green tea")]);
  const names = model.requests.map(({ toolNames }) =>
    ["remember", "recall"].filter((name) => toolNames.includes(name)),
  );
  expect(names).toContainEqual(["recall"]);
  expect(names[0]).toEqual(["remember", "recall"]);
});

test("R280 no tool opens the versions and the index of the memory, even where the workspace lies beside them", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({ ...modelConfig(model.url), workspace: "workspace" });
  mkdirSync(join(app.home, "memory"), { recursive: true });
  writeFileSync(join(app.home, "memory", "MEMORY.0.md"), "- an old secret\n");
  model.replies(callsTool("read_file", { path: join(app.home, "memory", "MEMORY.0.md") }), says("no"));
  await app.run(["agent", "-m", "read it"]);
  expect(JSON.stringify(model.requests.at(-1)?.toolResults)).not.toContain("an old secret");
});
