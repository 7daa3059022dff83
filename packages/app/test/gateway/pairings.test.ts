// Who may write: codes that are approved or rejected, contacts, roles.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const config = { channels: { webhook: { enabled: false, allowFrom: ["listed-1"] } } };

/** A stranger writes in a private chat. @returns what they were answered. */
async function knock({ app }: TestGateway, sender: string, text = "hello\u202e there"): Promise<string> {
  const accepted = await app.agent.bus.accept({
    key: `${sender}-${text}-${Math.random()}`,
    origin: { channel: "webhook", chat: sender },
    from: { id: sender, name: "Ada <b>", kind: "person" },
    parts: [{ type: "text", text }],
    chat: "private",
  });
  return accepted.status === "refused" ? (accepted.answer ?? "") : accepted.status;
}

describe("codes", () => {
  test("R260 a stranger is listed with name and first words, made visible, and admitted when approved", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    const answer = await knock(gateway, "42");
    const [pairing] = (await operate("listPairings")).body;
    expect(answer).toContain(pairing.code);
    expect(pairing).toMatchObject({ channel: "webhook", sender: "42", name: "Ada <b>" });
    expect(pairing.firstText).not.toContain("\u202e");
    expect(pairing.expiresAt - pairing.at).toBe(600_000);
    const approved = await operate("approvePairing", { params: { code: pairing.code.toLowerCase() }, body: {} });
    expect(approved.body).toMatchObject({ channel: "webhook", sender: "42", role: "paired" });
    expect((await operate("listPairings")).body).toEqual([]);
    expect(await knock(gateway, "42")).toBe("accepted");
    expect((await operate("approvePairing", { params: { code: pairing.code }, body: {} })).body.code).toBe(
      "pairing.not-found",
    );
  });

  test("R260 a rejected code admits nobody; wrong codes typed here void no others", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    await knock(gateway, "1");
    await knock(gateway, "2");
    const [first, second] = (await operate("listPairings")).body;
    expect((await operate("rejectPairing", { params: { code: first.code } })).status).toBe(204);
    expect((await operate("rejectPairing", { params: { code: first.code } })).body.code).toBe("pairing.not-found");
    await gateway.app.audit.flush();
    const events = await gateway.app.audit.list({ kind: "event" });
    expect(events.filter((event) => "name" in event && event.name === "pairing.rejected")).toMatchObject([
      { data: { channel: "webhook", sender: first.sender, by: "test" } },
    ]);
    for (let i = 0; i < 6; i += 1) await operate("approvePairing", { params: { code: "WRONGCDE" }, body: {} });
    expect((await operate("approvePairing", { params: { code: second.code }, body: {} })).status).toBe(200);
    expect(await knock(gateway, "1")).not.toBe("accepted");
  });

  test("◆ R188 only the owner makes an operator, and an operator may approve", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    await knock(gateway, "42");
    const [{ code }] = (await operate("listPairings")).body;
    const body = { role: "operator" };
    expect((await operate("approvePairing", { params: { code }, body, token: gateway.token("admin") })).body.code).toBe(
      "auth.scope",
    );
    expect((await operate("approvePairing", { params: { code }, body })).body.role).toBe("operator");
    expect(await knock(gateway, "42", "/stop all")).toBe("accepted");
    await expect.poll(() => gateway.app.inside.stopFlag.on).toBe(true);
    expect((await operate("approvePairing", { params: { code }, body: { role: "king" } })).body.code).toBe(
      "request.invalid",
    );
  });
});

describe("as a person", () => {
  const withEva = { ...config, people: { eva: { name: "Eva", role: "member" } } };

  test("PE5 a code is a person's: linked, and no guest any more; an unknown name uses no code up", async (t) => {
    const gateway = await startGateway(t, { config: withEva });
    const operate = operations(gateway);
    await knock(gateway, "42");
    const [{ code }] = (await operate("listPairings")).body;
    expect((await operate("approvePairing", { params: { code }, body: { person: "evi" } })).body.code).toBe(
      "request.not-found",
    );
    const approved = await operate("approvePairing", { params: { code }, body: { person: "eva" } });
    expect(approved.body).toMatchObject({
      channel: "webhook",
      sender: "42",
      role: "member",
      person: "eva",
      name: "Eva",
    });
    expect((await operate("listPeople")).body).toEqual([
      { hash: expect.any(String), person: "eva", name: "Eva", role: "member", ids: ["webhook:42"], supervised: false },
    ]);
    expect(gateway.app.inside.pairing.has("webhook", "42")).toBe(false);
    expect(await knock(gateway, "42")).toBe("accepted");
    const session = await gateway.app.agent.sessions.find("webhook:42");
    expect(session?.state.audience).toBe("eva");
    const items = async () => (await operate("listSessions")).body.items;
    await expect.poll(items).toMatchObject([{ key: "webhook:42", audience: "eva" }]);
  });

  test("PE5 R188 that a code is the owner's needs the owner's fresh proof", async (t) => {
    const gateway = await startGateway(t, { config: withEva });
    const operate = operations(gateway);
    await knock(gateway, "42");
    const [{ code }] = (await operate("listPairings")).body;
    const body = { person: "owner" };
    expect((await operate("approvePairing", { params: { code }, body, token: gateway.token("admin") })).body.code).toBe(
      "auth.scope",
    );
    expect((await operate("approvePairing", { params: { code }, body })).body).toMatchObject({ role: "owner" });
    expect(gateway.app.inside.loaded().config.channelsById["webhook"]?.operators).toEqual(["42"]);
  });
});

describe("contacts", () => {
  test("R260 paired and listed people; after DELETE nothing more of them is admitted", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    await knock(gateway, "42");
    const [{ code }] = (await operate("listPairings")).body;
    await operate("approvePairing", { params: { code }, body: {} });
    expect(await knock(gateway, "listed-1")).toBe("accepted");
    const { body } = await operate("listContacts");
    expect(body.map(({ sender, role }: { sender: string; role: string }) => `${sender} ${role}`).toSorted()).toEqual([
      "42 paired",
      "listed-1 listed",
    ]);
    for (const { id } of body) expect((await operate("deleteContact", { params: { id } })).status).toBe(204);
    expect(await knock(gateway, "42")).not.toBe("accepted");
    expect(await knock(gateway, "listed-1")).not.toBe("accepted");
    expect((await operate("listContacts")).body).toEqual([]);
  });

  test("PE1 PE6 a person's identity is listed with who it is; removed, it is nobody's, and the person stays", async (t) => {
    const eva = { name: "Eva", ids: ["webhook:eva"] };
    const gateway = await startGateway(t, {
      config: { ...config, people: { eva, bob: { role: "operator", ids: ["webhook:bob"] } } },
    });
    const operate = operations(gateway);
    const people = async () => (await operate("listContacts")).body.filter(({ person }: { person?: string }) => person);
    expect(await people()).toMatchObject([
      { channel: "webhook", sender: "eva", name: "Eva", role: "member", person: "eva" },
      { channel: "webhook", sender: "bob", role: "operator", person: "bob" },
    ]);
    const [{ id }] = await people();
    const refused = await operate("putContact", { params: { id }, body: { name: "x" } });
    expect(refused.body).toMatchObject({ code: "channel.invalid" });
    expect(JSON.stringify(refused.body)).toContain("people.eva.ids");
    expect((await operate("deleteContact", { params: { id } })).status).toBe(204);
    expect(await people()).toMatchObject([{ sender: "bob" }]);
    expect(gateway.app.inside.loaded().config.people["eva"]).toMatchObject({ name: "Eva", ids: [] });
  });

  test("names and roles change; a listed one has none; an unknown one is a 404", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    await knock(gateway, "42");
    const [{ code }] = (await operate("listPairings")).body;
    const { body: contact } = await operate("approvePairing", { params: { code }, body: {} });
    const params = { id: contact.id };
    expect((await operate("putContact", { params, body: { name: "Ada" } })).body).toMatchObject({
      name: "Ada",
      role: "paired",
    });
    expect(
      (await operate("putContact", { params, body: { role: "operator" }, token: gateway.token("admin") })).body.code,
    ).toBe("auth.scope");
    expect((await operate("putContact", { params, body: { role: "operator" } })).body.role).toBe("operator");
    const listed = (await operate("listContacts")).body.find(({ role }: { role: string }) => role === "listed");
    expect((await operate("putContact", { params: { id: listed.id }, body: { name: "x" } })).body.code).toBe(
      "channel.invalid",
    );
    expect((await operate("putContact", { params: { id: "no" }, body: {} })).body.code).toBe("request.not-found");
    expect((await operate("deleteContact", { params: { id: "no" } })).body.code).toBe("request.not-found");
  });
});

describe("persons", () => {
  const params = { person: "eva" };
  const EVA = { name: "Eva", role: "member", ids: ["webhook:77"] } as const;
  const NEW = { "if-none-match": "*" };

  test("R283 every route of persons and agents asks for a credential of its scope", async (t) => {
    await expectScopes(await startGateway(t), operationsBelow("/people", "/agents"));
  });

  test("PE1 PE6 a person is added, changed and removed over the API: who writes is them from the next message on, and no name is given twice", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    expect((await operate("putPerson", { params, body: EVA })).body.code).toBe("precondition.required");
    const made = await operate("putPerson", { params, body: EVA, headers: NEW });
    expect(made.body).toMatchObject({ person: "eva", ...EVA });
    expect((await operate("putPerson", { params, body: EVA, headers: NEW })).status).toBe(428); // she is there
    expect(await knock(gateway, "77")).toBe("accepted");
    const body = { name: null, role: "operator", ids: ["webhook:78"], tokensPerDay: 1000 } as const;
    const changed = await operate("putPerson", { params, body, headers: { "if-match": `"${made.body.hash}"` } });
    expect(changed.body).toEqual({
      person: "eva",
      role: "operator",
      ids: ["webhook:78"],
      tokensPerDay: 1000,
      supervised: false,
      hash: expect.not.stringMatching(made.body.hash),
    });
    expect(await knock(gateway, "77")).not.toBe("accepted");
    const stale = { "if-match": `"${made.body.hash}"` };
    expect((await operate("deletePerson", { params, headers: stale })).status).toBe(412);
    const held = { "if-match": `"${changed.body.hash}"` };
    expect((await operate("deletePerson", { params, headers: held })).status).toBe(204);
    expect([(await operate("listPeople")).body, await knock(gateway, "78")]).toEqual([
      [],
      expect.stringContaining("channels pair"),
    ]);
    const again = await operate("putPerson", { params, body: EVA, headers: NEW });
    expect(again.body.errors).toEqual([
      { path: "/person", code: "person", message: expect.stringContaining("journals speak") },
    ]);
    const events = (await gateway.api("/audit?limit=50")).body.items.map(({ name }: { name: string }) => name);
    for (const one of ["person.added", "person.linked", "person.unlinked", "person.removed"])
      expect(events).toContain(one);
  });

  test("PE31 PE98 the hours in which nobody is disturbed, the time zone, and whose conversations the owner reads, are set with the person, and stay where a change leaves them out", async (t) => {
    const gateway = await startGateway(t, { config });
    const operate = operations(gateway);
    const put = async (body: object, headers: Readonly<Record<string, string>>) =>
      (await operate("putPerson", { params, body, headers })).body;
    const made = await put({ ...EVA, timeZone: "Asia/Tokyo", quietHours: "21-08", supervised: true }, NEW);
    expect(made).toMatchObject({ timeZone: "Asia/Tokyo", quietHours: "21-08", supervised: true });
    const kept = await put({ ...EVA, name: "Evi" }, { "if-match": `"${made.hash}"` });
    expect(kept).toMatchObject({ name: "Evi", timeZone: "Asia/Tokyo", quietHours: "21-08", supervised: true });
    const ended = await put(
      { ...EVA, timeZone: null, quietHours: null, supervised: false },
      { "if-match": `"${kept.hash}"` },
    );
    expect([ended.timeZone, ended.quietHours, ended.supervised]).toEqual([undefined, undefined, false]);
    expect((await put({ ...EVA, quietHours: "late" }, { "if-match": `"${ended.hash}"` })).errors).toMatchObject([
      { path: "/people/eva/quietHours" },
    ]);
    expect((await put({ ...EVA, timeZone: "Mars/Base" }, { "if-match": `"${ended.hash}"` })).errors).toMatchObject([
      { path: "/people/eva/timeZone" },
    ]);
  });

  test("PE1 an identity of two, a name that means others, and a person of whom a binding speaks are refused where they are named", async (t) => {
    const gateway = await startGateway(t, {
      config: {
        ...config,
        people: { bob: { ids: ["webhook:1"] } },
        agents: { kitchen: { for: ["household"] } },
        bindings: [{ person: "bob", agent: "kitchen" }],
      } as never,
    });
    const operate = operations(gateway);
    const put = async (person: string, body: object) =>
      (await operate("putPerson", { params: { person }, body, headers: NEW })).body.errors?.map(
        ({ path }: never) => path,
      );
    expect(await put("eva", { ...EVA, ids: ["webhook:1"] })).toEqual(["/people/eva/ids"]);
    expect([await put("household", EVA), await put("owner", EVA), await put("E v", EVA)]).toEqual(
      Array.from({ length: 3 }, () => ["/person"]),
    );
    const [bob] = (await operate("listPeople")).body;
    const kept = { params: { person: "bob" }, headers: { "if-match": `"${bob.hash}"` } };
    expect((await operate("deletePerson", kept)).body.errors[0].path).toBe("/bindings/0/person");
    expect(existsSync(join(gateway.home, "people.json"))).toBe(false); // nothing was done
    expect((await operate("deletePerson", { params: { person: "nobody" }, headers: kept.headers })).status).toBe(404);
  });
});

test("PE70 agents, their bindings and the groups to choose from are told together; a change of them is one of the settings, with faults by their places", async (t) => {
  const gateway = await startGateway(t, {
    config: {
      channels: { webhook: { enabled: false, chats: { trip: { groups: "named" } } } },
      people: { eva: { ids: [], agent: "kitchen" } },
      agents: {
        kitchen: { persona: "gentle", tools: [], workspace: "own", budget: { tokensPerDay: 9 }, for: ["household"] },
      },
      bindings: [{ channel: "webhook", person: "eva", agent: "kitchen" }],
    } as never,
  });
  const operate = operations(gateway);
  const before = (await operate("listAgents")).body;
  expect(before).toMatchObject({
    agents: [{ name: "kitchen", persona: "gentle", tools: [], own: true, tokensPerDay: 9, for: ["household"] }],
    bindings: [{ channel: "webhook", person: "eva", agent: "kitchen" }],
    people: [{ person: "eva", agent: "kitchen" }],
    groups: [{ channel: "webhook", chat: "trip" }],
  });
  const patch = async (body: object) =>
    operate("patchSettings", { body, headers: { "if-match": `"${(await operate("listAgents")).body.hash}"` } });
  const faults = async (body: object) => (await patch(body)).body.errors.map(({ path, code }: never) => [path, code]);
  expect(await faults({ bindings: [{ channel: "webhook", chat: "trip", agent: "kitchen" }] })).toEqual([
    ["/bindings/0", "notFor"],
  ]);
  expect(await faults({ agents: { Kitchen: { for: ["owner"] } } })).toEqual([["/agents/Kitchen", "agentName"]]);
  expect(await faults({ agents: { kitchen: { for: ["owner"] } } })).toContainEqual(["/bindings/0", "notFor"]);
  // As the page takes an agent away: with all that is bound to it.
  expect((await patch({ agents: { kitchen: null }, bindings: [], people: { eva: { agent: null } } })).status).toBe(200);
  expect((await operate("listAgents")).body).toMatchObject({ agents: [], bindings: [], people: [] });
});
