// The files a person shares with the agent, over HTTP.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway } from "./support.ts";

const EMPTY = `"${sha256("")}"`;
const facts = { params: { name: "MEMORY.md" } };

test("R283 every route of memory asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/memory"));
});

test("R166 a file is changed only by who saw its present text, and the version before is kept", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const write = (text: string, tag: string, note?: string): ReturnType<typeof operate> =>
    operate("writeMemoryFile", {
      ...facts,
      body: { text, ...(note !== undefined && { note }) },
      headers: { "if-match": tag },
    });
  const empty = await operate("readMemoryFile", facts);
  expect([empty.body.text, empty.headers.get("etag")]).toEqual(["", EMPTY]);
  expect((await operate("writeMemoryFile", { ...facts, body: { text: "x" } })).status).toBe(428);

  const first = await write("- likes tea\n", EMPTY, "told me");
  expect(first.body).toEqual({ hash: sha256("- likes tea\n"), effect: "notice" });
  expect(readFileSync(join(gateway.workspace, "memory/MEMORY.md"), "utf8")).toBe("- likes tea\n");
  const stale = await write("- likes coffee\n", EMPTY);
  expect(stale.body).toMatchObject({ code: "precondition.failed", current: first.body.hash });

  const second = await write("- likes coffee\n- has a cat\n", `"${first.body.hash}"`, "changed their mind");
  const read = await operate("readMemoryFile", facts);
  expect(read.body).toMatchObject({ text: "- likes coffee\n- has a cat\n", hash: second.body.hash });
  const known = await operate("readMemoryFile", { ...facts, headers: { "if-none-match": `"${second.body.hash}"` } });
  expect(known.status).toBe(304);

  const versions = await operate("listMemoryVersions", facts);
  expect(versions.body.items).toEqual([
    {
      v: 0,
      at: expect.any(Number),
      by: "test",
      note: "changed their mind",
      hash: first.body.hash,
      added: 2,
      removed: 1,
    },
  ]);
  writeFileSync(join(gateway.home, "memory/about.json"), '{"MEMORY.md 0": {"by"'); // torn: only who and why are lost
  const [torn] = (await operate("listMemoryVersions", facts)).body.items;
  expect(torn).toEqual({ v: 0, at: expect.any(Number), hash: first.body.hash, added: 2, removed: 1 });
  const params = { ...facts.params, v: 0 };
  expect((await operate("readMemoryVersion", { params })).body.text).toBe("- likes tea\n");
  expect((await operate("restoreMemoryVersion", { params })).status).toBe(428);
  const headers = { "if-match": `"${second.body.hash}"` };
  expect((await operate("restoreMemoryVersion", { params, headers })).body.hash).toBe(first.body.hash);
  expect((await operate("listMemoryVersions", facts)).body.items).toHaveLength(2);
  await write("- likes tea\n- likes tea\n", `"${first.body.hash}"`); // a line that comes twice is one more
  expect((await operate("listMemoryVersions", facts)).body.items[0]).toMatchObject({ added: 1, removed: 0 });
  expect((await operate("readMemoryVersion", { params: { ...facts.params, v: 9 } })).body.code).toBe(
    "memory.not-found",
  );
});

test("R262 files that say what the agent does are versioned too, and their changes are audited", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ workspace }) => writeFileSync(join(workspace, "SOUL.md"), "Be brief.\n"),
  });
  const operate = operations(gateway);
  const params = { name: "SOUL.md" };
  const { hash } = (await operate("readMemoryFile", { params })).body;
  const body = { text: "Be kind.\n" };
  await operate("writeMemoryFile", { params, body, headers: { "if-match": `"${hash}"` } });
  const [version] = (await operate("listMemoryVersions", { params })).body.items;
  expect(version).toMatchObject({ v: 0, hash, by: "test", added: 1, removed: 1 });
  await gateway.app.audit.flush();
  const events = await gateway.app.audit.list({ kind: "event" });
  expect(events.filter((event) => "name" in event && event.name === "memory.edited")).toMatchObject([
    { name: "memory.edited", data: { file: "SOUL.md", by: "test", before: hash, after: sha256("Be kind.\n") } },
  ]);
});

test("the list says what each file is for, how large it is, and where strangers had a say", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ workspace }) => {
      mkdirSync(join(workspace, "memory"));
      writeFileSync(join(workspace, "memory/MEMORY.md"), "- the shop closes at six (source: https://shop.example)\n");
      symlinkSync("/etc/hostname", join(workspace, "USER.md"));
    },
  });
  const operate = operations(gateway);
  const { items } = (await operate("listMemoryFiles")).body;
  expect(items.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
    ["MEMORY.md", "facts"],
    ["HISTORY.md", "history"],
    ["USER.md", "person"],
    ["SOUL.md", "character"],
    ["AGENTS.md", "rules"],
    ["TOOLS.md", "tools"],
    ["HEARTBEAT.md", "tasks"],
  ]);
  expect(items[0]).toMatchObject({ inPrompt: true, label: { integrity: "untrusted" }, bytes: 56 });
  expect(items[0].tokens).toBeGreaterThan(5);
  expect(items[2]).toMatchObject({ bytes: 0, modifiedAt: null });
  const user = { params: { name: "USER.md" } };
  expect((await operate("readMemoryFile", user)).body.text).toBe("");
  const through = await operate("writeMemoryFile", { ...user, body: { text: "x" }, headers: { "if-match": EMPTY } });
  expect(through.body.code).toBe("request.invalid");
  expect(through.body.detail).toMatch(/^USER\.md cannot be written: \S/);
});

test("what is none of these files is not there", async (t) => {
  const operate = operations(await startGateway(t));
  for (const name of ["config.json", "../config.json", "memory/MEMORY.md", "__proto__"])
    expect((await operate("readMemoryFile", { params: { name } })).body.code).toBe("memory.not-found");
  const answer = await operate("writeMemoryFile", { ...facts, body: { text: "x", more: 1 } });
  expect(answer.body.code).toBe("request.invalid");
});

test("R122 the search finds facts, history and chats, with the places of the words", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ workspace }) => {
      mkdirSync(join(workspace, "memory"));
      writeFileSync(join(workspace, "memory/MEMORY.md"), "# Facts\n- the red bicycle is in the cellar\n");
      writeFileSync(join(workspace, "memory/HISTORY.md"), "[2026-01-02 10:00] bought a red bicycle\n");
    },
  });
  const operate = operations(gateway);
  gateway.model.replies(says("Your bicycle is red."));
  await gateway.app.agent.send("web:one", "what is my bicycle like?").finished;
  const { items } = (await operate("searchMemory", { query: { q: "Red bicycle" } })).body;
  const session = (await gateway.app.agent.sessions.find("web:one"))?.state.id;
  expect(items).toEqual([
    {
      source: "memory",
      file: "MEMORY.md",
      line: 2,
      text: "- the red bicycle is in the cellar",
      ranges: [
        [6, 9],
        [10, 17],
      ],
      untrusted: false,
    },
    expect.objectContaining({ source: "history", file: "HISTORY.md", line: 1 }),
    expect.objectContaining({ source: "session", key: "web:one", session, text: "Your bicycle is red." }),
  ]);
  const chats = (await operate("searchMemory", { query: { q: "bicycle", in: "sessions" } })).body.items;
  expect(chats.map(({ source }: { source: string }) => source)).toEqual(["session", "session"]);
  expect((await operate("searchMemory", { query: { q: "" } })).body.code).toBe("request.invalid");
});

test("R122 places of words lie beside one another, and in the text as it is shown", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ workspace }) => {
      mkdirSync(join(workspace, "memory"));
      writeFileSync(
        join(workspace, "memory/MEMORY.md"),
        "# Facts\n- a motorbike: motor and bike\n- the shop is in İzmir\nRain in Ghent\n",
      );
    },
  });
  const operate = operations(gateway);
  const places = async (q: string): Promise<unknown> =>
    (await operate("searchMemory", { query: { q } })).body.items.map(({ ranges }: { ranges: unknown }) => ranges);
  const whole = [4, 13];
  const parts = [
    [15, 20],
    [25, 29],
  ];
  expect(await places("bike motor motorbike")).toEqual([[whole, ...parts]]);
  expect(await places("bike motor")).toEqual([[[4, 9], [9, 13], ...parts]]);
  expect(await places("rain")).toEqual([[[0, 4]]]);
  // In lower case it is longer than it is shown.
  expect(await places("shop in")).toEqual([[]]);
});

test("R121 what the agent remembered is a version that nobody else has to explain", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(
    callsTool("remember", { text: "likes tea" }),
    callsTool("remember", { text: "has a cat" }),
    says("noted"),
  );
  await gateway.app.agent.send("web:one", "remember that").finished;
  const { items } = (await operate("listMemoryVersions", facts)).body;
  expect(items).toEqual([{ v: 0, at: expect.any(Number), hash: sha256("- likes tea\n"), added: 1, removed: 0 }]);
});

test("R152 a chat is put into memory on request, and not while a turn of it runs", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const { agent } = gateway.app;
  gateway.model.replies(says("Hello Kim."));
  await agent.send("web:one", "my name is Kim").finished;
  const session = (await agent.sessions.find("web:one"))?.state.id ?? "";
  gateway.model.replies(callsTool("save_memory", { memory: "- the person is Kim\n", history: "Kim said hello." }));
  expect((await operate("consolidateMemory", { body: { session } })).status).toBe(202);
  await expect.poll(async () => (await operate("readMemoryFile", facts)).body.text).toBe("- the person is Kim\n");

  const held = stalls({ rest: says("late") });
  gateway.model.replies(held);
  const { finished } = agent.send("web:one", "and now?");
  await expect.poll(async () => (await agent.sessions.find("web:one"))?.state.turn?.id).toBeDefined();
  expect((await operate("consolidateMemory", { body: { session } })).body.code).toBe("session.busy");
  held.release();
  await finished;
  expect((await operate("consolidateMemory", { body: { session: "none" } })).body.code).toBe("session.not-found");
});

test("a consolidation that changes nothing takes no fact from the person", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const text = "- likes tea\n";
  await operate("writeMemoryFile", { ...facts, body: { text }, headers: { "if-match": EMPTY } });
  gateway.model.replies(
    says("Good night."),
    callsTool("save_memory", { history_entry: "They said good night.", memory_update: text }),
  );
  await gateway.app.agent.send("web:night", "good night").finished;
  const session = (await gateway.app.agent.sessions.find("web:night"))?.state.id ?? "";
  await operate("consolidateMemory", { body: { session } });
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(2);
  expect((await operate("listFacts")).body.items).toMatchObject([{ text: "likes tea", origin: { by: "person" } }]);
});

test("each fact says where it came from: the agent in a chat, a consolidation, the person; what is from outside is marked", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const before = "# Person\n- likes tea\n- plays chess (source: web page)\n";
  await operate("writeMemoryFile", { ...facts, body: { text: before }, headers: { "if-match": EMPTY } });
  gateway.model.replies(callsTool("remember", { text: "has a cat" }), says("I will."));
  await gateway.app.agent.send("web:cat", "remember that I have a cat").finished;
  const cat = (await gateway.app.agent.sessions.find("web:cat"))?.state.id ?? "";
  const memory = `${before}- has a cat\n- works at night\n`;
  gateway.model.replies(
    says("Good night."),
    callsTool("save_memory", { history_entry: "They work at night.", memory_update: memory }),
  );
  await gateway.app.agent.send("web:night", "I work at night").finished;
  const night = (await gateway.app.agent.sessions.find("web:night"))?.state.id ?? "";
  await operate("consolidateMemory", { body: { session: night } });
  await gateway.app.agent.idle();
  const { body } = await operate("listFacts");
  expect(body.hash).toBe(sha256(memory));
  expect(body.items).toEqual([
    { line: 2, section: "Person", text: "likes tea", untrusted: false, origin: { by: "person" } },
    { line: 3, section: "Person", text: "plays chess (source: web page)", untrusted: true, origin: { by: "person" } },
    {
      line: 4,
      section: "Person",
      text: "has a cat",
      untrusted: false,
      origin: { by: "agent", at: expect.any(Number), session: cat, key: "web:cat", item: expect.any(String) },
    },
    {
      line: 5,
      section: "Person",
      text: "works at night",
      untrusted: false,
      origin: { by: "consolidation", at: expect.any(Number), session: night, key: "web:night" },
    },
  ]);
  const { item } = body.items[2].origin;
  const answer = await operate("readMessage", { params: { id: cat, item } });
  expect(answer.body.parts).toMatchObject([{ type: "call", call: { name: "remember" } }]);
});
