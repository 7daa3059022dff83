// SC47: a write that must fail for want of `writable` is refused before anybody is asked about it.
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import type { ServerConfig } from "../../src/features/mcp/client/types.ts";
import { namedFolders, unwritable } from "../../src/features/mcp/client/writable.ts";
import { approveNew, mcpApp, referenceServer, temporary, type McpApp } from "./support.ts";

/** server-filesystem over a folder of the workspace, with a question for each write. */
async function filesystem(
  writes: boolean,
): Promise<McpApp & { readonly notes: string; asked(): Promise<readonly string[]> }> {
  const root = temporary();
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  const notes = join(workspace, "notes");
  mkdirSync(notes, { recursive: true });
  for (const folder of [root, workspace, notes]) chmodSync(folder, 0o777); // root confines programs under another account
  const config = { ...referenceServer("filesystem", notes), ...(writes && { writable: [notes] }) };
  const app = await mcpApp(
    { files: config },
    {
      home,
      config: { workspace },
      rules: [{ tool: "mcp_*", action: "ask" }],
    },
  );
  await approveNew(app.app);
  return {
    ...app,
    notes,
    asked: async () => (await app.app.agent.approvals()).map(({ name }) => name),
  };
}

test("SC47 the real filesystem server may read the workspace: a write there is refused unasked, naming the key", async () => {
  const { model, ask, notes, asked } = await filesystem(false);
  const path = join(notes, "a.txt");
  model.replies(callsTool("mcp_files_write_file", { path, content: "x" }), says("done"));
  expect(await ask("write it down")).toEqual([
    `Error: MCP server files may not write to ${path}: mcpServers.files.writable does not list it. Next: use your own file tools, or tell the operator to add the folder to mcpServers.files.writable.`,
  ]);
  expect(await asked()).toEqual([]);
});

test("SC47 with the folder in writable the same call is a question, and a yes to it writes the file", async () => {
  const { app, model, notes, asked } = await filesystem(true);
  const path = join(notes, "a.txt");
  model.replies(callsTool("mcp_files_write_file", { path, content: "x" }), says("done"));
  const turn = app.agent.send("cli:direct", "write it down");
  await expect.poll(asked).toEqual(["mcp_files_write_file"]);
  const [approval] = await app.agent.approvals();
  if (approval === undefined) throw new Error("nothing waits");
  const { call, hash, sessionKey } = approval;
  await app.agent.control(sessionKey, { type: "allow", call, hash }, { id: "user", kind: "person" });
  await turn.finished;
  expect(readFileSync(path, "utf8")).toBe("x");
});

test("SC47 only what is certain is refused: the tool writes, the path is a place that the program sees or ours, and is not listed", () => {
  const root = temporary();
  const [notes, other, workspace] = ["notes", "other", "workspace"].map((name) => join(root, name));
  if (notes === undefined || other === undefined || workspace === undefined) throw new Error("three names");
  for (const folder of [notes, other, workspace]) mkdirSync(folder);
  symlinkSync(notes, join(other, "link"));
  const config: ServerConfig = { command: "server", args: ["--root", notes], enabledTools: ["*"], disabled: false };
  const of = (tool: string, input: Record<string, unknown>, more: Partial<ServerConfig> = {}): string | undefined =>
    unwritable({ ...config, ...more }, tool, input as never, workspace);
  const path = join(notes, "deep/er/a.txt");

  for (const tool of ["write_file", "editFile", "create-directory", "delete", "notes.move"])
    expect(of(tool, { path })).toBe(path);
  for (const key of ["path", "filePath", "file_path", "destination", "paths"])
    expect(of("write", { [key]: path })).toBe(path);
  expect(of("write", { paths: ["/elsewhere", path] })).toBe(path);
  expect(of("write", { path: join(workspace, "a") })).toBe(join(workspace, "a"));
  expect(of("write", { path: join(other, "link/a") })).toBe(join(other, "link/a")); // where it leads
  expect(of("move_file", { source: path, destination: "/tmp/x" })).toBe(path);

  // Whoever sends a file away reads it; an address may look like a path.
  expect(of("upload", { path })).toBeUndefined();
  expect(of("copy_file", { source: path, destination: "/tmp/x" })).toBeUndefined();
  expect(of("write", { content: path })).toBeUndefined();
  expect(of("write", { path: "/docs/readme.md" })).toBeUndefined();
  expect(of("write", { path: "a.txt" })).toBeUndefined();
  expect(of("write", { path: `${notes}er/a` })).toBeUndefined();
  expect(of("write", { path }, { writable: [notes] })).toBeUndefined();
  expect(of("write", { path }, { writable: [join(notes, "deep")] })).toBeUndefined();
  expect(of("write", { path }, { writable: [join(other, "link")] })).toBeUndefined();
  expect(of("write", { path }, { sandbox: false })).toBeUndefined();
  expect(
    unwritable({ url: "https://x.example", enabledTools: [], disabled: false }, "write", { path }, workspace),
  ).toBe(undefined);
  expect(namedFolders({ args: ["-y", "x", notes, `--data=${other}`, join(notes, "none"), notes] })).toEqual([
    notes,
    other,
  ]);
});
