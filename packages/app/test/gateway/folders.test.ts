// Folders: where conversations are put. They are there as long as a conversation is in them.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSession } from "./journals.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function put(gateway: TestGateway, id: string, folder: string | null): Promise<number> {
  const { body } = await gateway.api(`/sessions/${id}`);
  const headers = { "if-match": `"${body.hash}"` };
  return (await gateway.api(`/sessions/${id}`, { method: "PATCH", body: { folder }, headers })).status;
}

async function namesOf(gateway: TestGateway): Promise<unknown> {
  return (await gateway.api("/sessions/folders")).body.folders;
}

async function titlesIn(gateway: TestGateway, folder: string): Promise<readonly string[]> {
  const { items } = (await gateway.api(`/sessions?folder=${encodeURIComponent(folder)}`)).body;
  return items.map(({ title }: { title: string }) => title).toSorted();
}

test("conversations are put into folders and found there, a job's too; a copy is where its original is", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      writeSession(home, { key: "web:rome", turns: 1, question: () => "Rome." });
      writeSession(home, { key: "cron:digest", turns: 1, question: () => "The digest." });
      writeSession(home, { key: "web:other", turns: 1, question: () => "Other." });
    },
  });
  const { items } = (await gateway.api("/sessions")).body;
  const idOf = (title: string): string => items.find((one: { title: string }) => one.title === title).id;
  expect(await put(gateway, idOf("Rome."), "旅行 2027")).toBe(200);
  expect(await put(gateway, idOf("The digest."), "旅行 2027")).toBe(200);
  expect(await put(gateway, idOf("Other."), "Home")).toBe(200);
  expect((await gateway.api(`/sessions/${idOf("Rome.")}/fork`, { method: "POST", body: {} })).status).toBe(201);
  expect(await namesOf(gateway)).toEqual([
    { name: "Home", sessions: 1 },
    { name: "旅行 2027", sessions: 3 },
  ]);
  expect(await titlesIn(gateway, "旅行 2027")).toEqual(["Rome.", "Rome. ⑂", "The digest."]);
  expect((await gateway.api("/sessions?q=home")).body.items).toMatchObject([{ title: "Other.", folder: "Home" }]);

  expect((await gateway.api(`/sessions/${idOf("The digest.")}`, { method: "DELETE" })).status).toBe(204);
  expect(await put(gateway, idOf("Other."), null)).toBe(200);
  expect(await namesOf(gateway)).toEqual([{ name: "旅行 2027", sessions: 2 }]);

  const next = await startGateway(t, {
    prepare: ({ home }) => {
      for (const name of ["sessions", "gateway"])
        cpSync(join(gateway.home, name), join(home, name), { recursive: true });
    },
  });
  expect(await titlesIn(next, "旅行 2027")).toEqual(["Rome.", "Rome. ⑂"]); // after a restart
});

test("a folder's name is one line of at most 60 letters, and what was read before it was set is no ground to change it", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home }) => writeSession(home, { key: "web:rome", turns: 1, question: () => "Rome." }),
  });
  const [{ id }] = (await gateway.api("/sessions")).body.items;
  for (const name of ["", " ", "a\nb", "x".repeat(61)]) expect(await put(gateway, id, name)).toBe(422);
  const before = (await gateway.api(`/sessions/${id}`)).body.hash;
  expect(await put(gateway, id, ` ${"x".repeat(60)} `)).toBe(200);
  expect((await gateway.api(`/sessions/${id}`)).body.folder).toBe("x".repeat(60));
  const stale = { method: "PATCH", body: { folder: "Mine" }, headers: { "if-match": `"${before}"` } };
  expect((await gateway.api(`/sessions/${id}`, stale)).status).toBe(412);
});
