// Taking back what a turn did to the workspace, over HTTP.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function write(gateway: TestGateway): Promise<string> {
  writeFileSync(join(gateway.workspace, "a.txt"), "old");
  gateway.model.replies(
    callsTool("write_file", { path: "a.txt", content: "new" }),
    callsTool("write_file", { path: "b.txt", content: "made" }),
    says("done"),
  );
  await gateway.app.agent.send("web:one", "write").finished;
  return (await gateway.app.agent.sessions.find("web:one"))?.state.id ?? "";
}

test("R283 the routes of undo ask for a credential of their scope", async (t) => {
  await expectScopes(await startGateway(t), ["listUndo", "undoTurn"]);
});

test("S4 a turn's changes are listed, shown by a dry run, and taken back", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const id = await write(gateway);
  const { items } = (await operate("listUndo", { params: { id } })).body;
  expect(items).toMatchObject([{ session: id, key: "web:one", number: 1, changed: 2, gaps: [] }]);
  const dry = await operate("undoTurn", { params: { id }, body: { dryRun: true } });
  expect(dry.body.preview.files).toMatchObject([
    { path: "a.txt", action: "restore", kind: "file", bytes: 3 },
    { path: "b.txt", action: "delete", kind: "file" },
  ]);
  expect(dry.body.done).toBeUndefined();
  expect(readFileSync(join(gateway.workspace, "a.txt"), "utf8")).toBe("new");

  const { done } = (await operate("undoTurn", { params: { id }, body: { turn: items[0].turn } })).body;
  expect(done.restored).toEqual([
    { path: "a.txt", action: "restore" },
    { path: "b.txt", action: "delete" },
  ]);
  expect(readFileSync(join(gateway.workspace, "a.txt"), "utf8")).toBe("old");
  expect(existsSync(join(gateway.workspace, "b.txt"))).toBe(false);
  const again = (await operate("listUndo", { params: { id } })).body.items;
  expect(again).toMatchObject([{ undoes: items[0].turn, turn: done.id }, { undone: done.id }]);
  expect((await operate("undoTurn", { params: { id }, body: { turn: done.id } })).status).toBe(200);
  expect(readFileSync(join(gateway.workspace, "b.txt"), "utf8")).toBe("made");
});

test("S4 a file that was changed since stays unless forced; an unknown turn is not found", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const id = await write(gateway);
  writeFileSync(join(gateway.workspace, "a.txt"), "by hand");
  const { preview, done } = (await operate("undoTurn", { params: { id }, body: {} })).body;
  expect(preview.files[0]).toMatchObject({ path: "a.txt", problem: "changed", forceable: true });
  expect(done.restored).toEqual([{ path: "b.txt", action: "delete" }]);
  expect((await operate("undoTurn", { params: { id }, body: { force: true } })).status).toBe(200);
  expect(readFileSync(join(gateway.workspace, "a.txt"), "utf8")).toBe("old");
  expect((await operate("undoTurn", { params: { id }, body: { turn: "77" } })).body.code).toBe("undo.not-found");
  expect((await operate("listUndo", { params: { id: "nobody" } })).body.code).toBe("session.not-found");
});
