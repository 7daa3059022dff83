// Personas over HTTP: what is chosen is what the next prompt says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const PIRATE = {
  id: "pirate",
  name: "Pirate",
  description: "Sails the seven seas.",
  traits: ["bold", "salty"],
  style: "Says arr.",
};

/** The system prompt that a chat gets. */
async function promptOf(gateway: TestGateway, key: string): Promise<string> {
  gateway.model.replies(says("ok"));
  await gateway.app.agent.send(key, "hi").finished;
  return gateway.model.requests.at(-1)?.texts("system").join("\n") ?? "";
}

test("R283 every route of personas asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/personas"));
});

test("R248 the twelve presets are listed in the language of the caller and cannot be changed", async (t) => {
  const operate = operations(await startGateway(t));
  const { items, active } = (await operate("listPersonas")).body;
  expect([items.length, active]).toEqual([12, null]);
  const zen = items.find(({ id }: { id: string }) => id === "zen");
  expect(zen).toMatchObject({ builtin: true, active: false });
  const zh = await operate("readPersona", { params: { id: "zen" }, headers: { "accept-language": "zh-CN" } });
  expect(zh.body.description).not.toBe(zen.description);
  const { id: _id, ...body } = PIRATE;
  const headers = { "if-match": `"${zen.hash}"` };
  expect((await operate("changePersona", { params: { id: "zen" }, body, headers })).body.code).toBe("persona.builtin");
  expect((await operate("removePersona", { params: { id: "zen" }, headers })).body.code).toBe("persona.builtin");
  expect((await operate("createPersona", { body: { ...PIRATE, id: "zen" } })).body.code).toBe("persona.exists");
});

test("R250 own personas are made, copied, edited and removed under their ETag", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const made = await operate("createPersona", { body: PIRATE });
  expect(made.body).toMatchObject({ ...PIRATE, builtin: false, active: false });
  expect((await operate("createPersona", { body: PIRATE })).body.code).toBe("persona.exists");
  const params = { id: "pirate" };
  const { id: _id, ...rest } = PIRATE;
  const body = { ...rest, custom: "Talk like a pirate." };
  expect((await operate("changePersona", { params, body })).body.code).toBe("precondition.required");
  const headers = { "if-match": made.headers.get("etag") ?? "" };
  const changed = await operate("changePersona", { params, body, headers });
  expect(changed.body.custom).toBe("Talk like a pirate.");
  expect((await operate("changePersona", { params, body, headers })).body.current).toBe(changed.body.hash);
  const known = { "if-none-match": changed.headers.get("etag") ?? "" };
  expect((await operate("readPersona", { params, headers: known })).status).toBe(304);

  const copy = await operate("duplicatePersona", { params: { id: "zen" }, body: { name: "My Zen" } });
  expect(copy.body).toMatchObject({ id: "zen-2", name: "My Zen", builtin: false });
  expect((await operate("duplicatePersona", { params: { id: "zen" }, body: {} })).body.id).toBe("zen-3");
  expect((await operate("duplicatePersona", { params: { id: "zen" }, body: { id: "zen" } })).body.code).toBe(
    "persona.exists",
  );
  expect((await operate("listPersonas")).body.items).toHaveLength(15);
  expect(JSON.parse(readFileSync(join(gateway.home, "personas.json"), "utf8")).personas).toHaveLength(3);

  expect((await operate("removePersona", { params })).body.code).toBe("precondition.required");
  const last = { "if-match": changed.headers.get("etag") ?? "" };
  expect((await operate("removePersona", { params, headers: last })).status).toBe(204);
  for (const id of ["readPersona", "duplicatePersona", "previewPersona"]) {
    const given = id === "previewPersona" ? { body: { message: "hi" } } : { body: {} };
    const answer = await operate(id, { params, ...(id !== "readPersona" && given) });
    expect(answer.body.code).toBe("persona.not-found");
  }
  const long = await operate("createPersona", { body: { ...PIRATE, custom: "x".repeat(2001) } });
  expect(long.body.code).toBe("request.invalid");
});

test("R251 R252 a choice speaks in new chats at once, in old ones not before their prompt is made anew", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await operate("createPersona", { body: PIRATE });
  expect(await promptOf(gateway, "web:old")).not.toContain("Pirate");
  expect((await operate("activatePersona", { body: { id: "pirate" } })).body).toEqual({
    id: "pirate",
    effect: "next-epoch",
  });
  expect((await operate("listPersonas")).body.active).toBe("pirate");
  expect(await promptOf(gateway, "web:old")).not.toContain("Pirate");
  const prompt = await promptOf(gateway, "web:new");
  expect(prompt).toContain("Personality: Pirate. Sails the seven seas.");
  expect(prompt.indexOf("Personality: Pirate")).toBeLessThan(prompt.indexOf("These rules stand above everything else"));

  const { hash } = (await operate("readPersona", { params: { id: "pirate" } })).body;
  await operate("removePersona", { params: { id: "pirate" }, headers: { "if-match": `"${hash}"` } });
  expect((await operate("listPersonas")).body.active).toBeNull();
  expect(await promptOf(gateway, "web:third")).not.toContain("Pirate");
});

test("R251 in one chat it speaks from the next turn on, and in no other", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await promptOf(gateway, "web:one");
  const session = (await gateway.app.agent.sessions.find("web:one"))?.state.id ?? "";
  const set = await operate("activatePersona", { body: { id: "zen", session } });
  expect(set.body).toEqual({ id: "zen", session, effect: "next-turn" });
  expect(await promptOf(gateway, "web:one")).toContain("Personality: Zen");
  expect(await promptOf(gateway, "web:two")).not.toContain("Personality:");
  await operate("activatePersona", { body: { id: null, session } });
  expect(await promptOf(gateway, "web:one")).not.toContain("Personality:");
  expect((await operate("activatePersona", { body: { id: "none" } })).body.code).toBe("persona.not-found");
  expect((await operate("activatePersona", { body: { id: "zen", session: "none" } })).body.code).toBe(
    "session.not-found",
  );
});

test("R250 free text of the settings is not lost when a persona is chosen", async (t) => {
  const gateway = await startGateway(t, { config: { persona: { custom: "Speak in verse." } } });
  const operate = operations(gateway);
  expect(await promptOf(gateway, "web:one")).toContain("Speak in verse.");
  await operate("activatePersona", { body: { id: "zen" } });
  const own = (await operate("listPersonas")).body.items.filter(({ builtin }: { builtin: boolean }) => !builtin);
  expect(own).toMatchObject([{ id: "my-words", custom: "Speak in verse." }]);
  expect(await promptOf(gateway, "web:two")).not.toContain("Speak in verse.");
  await operate("activatePersona", { body: { id: "my-words" } });
  expect(await promptOf(gateway, "web:three")).toContain("Personality:\nSpeak in verse.");
});

test("while the emergency stop is on no persona is previewed, and the answer says so", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await gateway.api("/estop", { method: "PUT", body: { on: true } });
  const answer = await operate("previewPersona", { params: { id: "zen" }, body: { message: "I am late" } });
  expect(answer).toMatchObject({ status: 423, body: { code: "system.estopped" } });
  expect(gateway.model.requests).toHaveLength(0);
});

test("a preview is one request without tools, with what it cost", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(says("Breathe.", { usage: { input: 80, output: 3 } }));
  const { body } = await operate("previewPersona", { params: { id: "zen" }, body: { message: "I am late" } });
  expect(body).toEqual({
    text: "Breathe.",
    usage: { input: 80, output: 3, cacheRead: 0, cacheWrite: 0 },
    costUsd: null,
  });
  const [request] = gateway.model.requests;
  expect(request?.texts("system").join("\n")).toContain("Personality: Zen");
  expect([request?.texts("user"), request?.body["tools"]]).toEqual([["I am late"], undefined]);
  expect((await operate("getUsage", { query: { group: "purpose" } })).body.rows).toMatchObject([{ key: "persona" }]);
  const empty = await operate("previewPersona", { params: { id: "zen" }, body: { message: "" } });
  expect(empty.body.code).toBe("request.invalid");
});

test("damaged personas are told, and prompts are made without them", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home }) => writeFileSync(join(home, "personas.json"), "{ damaged"),
    config: { persona: { preset: "pirate" } },
  });
  const read = await operations(gateway)("listPersonas");
  expect([read.status, read.body.code]).toEqual([409, "settings.unreadable-file"]);
  expect(JSON.stringify(read.body)).not.toContain(gateway.home);
  expect(await promptOf(gateway, "web:one")).not.toContain("Personality:");
  expect(gateway.logs).toContainEqual(expect.objectContaining({ event: "personas.unreadable" }));
});
