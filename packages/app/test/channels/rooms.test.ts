// What somebody beside the owner gets: a room of their own, with own files, memory, search and budget; nothing crosses.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, type RunningOptions, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const OWNERS = {
  "AGENTS.md": "HOUSE-AGENTS be brief.",
  "SOUL.md": "HOUSE-SOUL dry.",
  "TOOLS.md": "HOUSE-TOOLS the printer is upstairs.",
  "USER.md": "CANARY-USER Ada Lovelace.",
  "memory/MEMORY.md": "- CANARY-MEMORY the safe opens with 7351",
  "memory/HISTORY.md": "[2026-01-01 10:00] CANARY-HISTORY the merger was signed",
  "private/diary.txt": "CANARY-DIARY I am tired of the merger",
};
const EVAS = {
  "USER.md": "EVA-USER likes tea",
  "memory/MEMORY.md": "- EVA-MEMORY her bicycle is red",
  "list.txt": "EVA-LIST milk",
};

const people = { eva: { name: "Eva", ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"] } };

async function house({ config = {}, ...more }: RunningOptions = {}): Promise<Running> {
  const place = await running(
    { operators: ["ada"], allowFrom: ["ann"] },
    { ...more, config: { persona: { name: "Mia", userName: "CANARY-NAME" }, people, ...config }, files: OWNERS },
  );
  for (const [path, text] of Object.entries(EVAS)) {
    mkdirSync(dirname(spaceIn(place, "eva", path)), { recursive: true });
    writeFileSync(spaceIn(place, "eva", path), text);
  }
  return place;
}

function spaceIn({ place: { home } }: Running, person: string, path: string): string {
  return join(home, "spaces", `p-${person}`, path);
}

let serial = 0;
/** One message, and all requests that it made. */
async function write(place: Running, sender: string, text: string, more: object = {}): Promise<string> {
  const before = place.model.requests.length;
  const { status } = await postSigned(place.port, {
    id: `m${++serial}`,
    chat: sender,
    sender,
    text,
    private: !("chat" in more),
    ...more,
  });
  expect(status).toBe(202);
  await place.app.agent.idle();
  return JSON.stringify(place.model.requests.slice(before).map(({ body }) => body));
}

function lastSystem({ model }: Running): string {
  const { messages = [] } = (model.requests.at(-1)?.body ?? {}) as { readonly messages?: readonly unknown[] };
  return JSON.stringify(messages[0]);
}

function toolsOf(requests: string): readonly string[] {
  const bodies = JSON.parse(requests) as readonly { tools?: readonly { function: { name: string } }[] }[];
  return [...new Set(bodies.flatMap(({ tools = [] }) => tools.map(({ function: { name } }) => name)))].toSorted();
}

test("PE20 PE23 a member's requests hold their own files and the house's manners, and not a byte of the owner's", async () => {
  const place = await house({ config: { tools: { restrictToWorkspace: false } } }); // which holds for the owner alone
  const { model } = place;
  model.replies(says("noted"));
  await write(place, "ada", "CANARY-SAID remember the merger");
  const outside = join(place.place.home, "workspace", "private", "diary.txt");
  symlinkSync(outside, spaceIn(place, "eva", "link.txt"));
  const beside = join(place.place.directory, "beside.txt"); // of the machine, and not of margay
  writeFileSync(beside, "CANARY-BESIDE");
  const tries = [
    ["read_file", { path: "private/diary.txt" }],
    ["read_file", { path: outside }],
    ["read_file", { path: beside }],
    ["read_file", { path: "../../workspace/private/diary.txt" }],
    ["read_file", { path: "link.txt" }],
    ["read_file", { path: "../p-bob/USER.md" }],
    ["read_file", { path: join(place.place.home, "config.json") }],
    ["list_dir", { path: "../.." }],
    ["search_files", { pattern: "tired" }],
    ["exec", { command: "cat USER.md" }],
    ["recall", { query: "merger" }],
    ["recall", { query: "safe" }],
    ["cron", { action: "list" }],
    ["write_file", { path: "../../workspace/left.txt", content: "by a member" }],
    ["write_file", { path: join(place.place.home, "workspace", "left.txt"), content: "by a member" }],
  ] as const;
  let requests = "";
  for (const [name, input] of tries) {
    model.replies(callsTool(name, input), says("tried"));
    requests += await write(place, "eva", `do ${name}`);
  }
  expect(requests).not.toContain("CANARY");
  for (const own of ["EVA-USER", "EVA-MEMORY", "HOUSE-AGENTS", "HOUSE-SOUL", "HOUSE-TOOLS", "Mia"])
    expect(requests).toContain(own);
  expect(requests).toContain("The user's name is Eva.");
  expect(existsSync(join(place.place.home, "workspace", "left.txt"))).toBe(false);
  expect(JSON.stringify(place.receiver.received)).not.toContain("CANARY");
});

test("PE9 a member is offered what stays in their room: no commands, no servers", async () => {
  const place = await house();
  place.model.replies(says("hello"), says("hello"), says("hello"));
  const forEva = toolsOf(await write(place, "eva", "hi"));
  expect(forEva).toEqual(
    [
      "ask_person",
      "cron",
      "edit_file",
      "list_dir",
      "message",
      "read_file",
      "recall",
      "remember",
      "search_files",
      "spawn",
      "use_skill",
      "web_fetch",
      "web_search",
      "write_file",
    ].toSorted(),
  );
  expect(toolsOf(await write(place, "ada", "hi"))).toContain("exec");
  expect(toolsOf(await write(place, "ann", "hi"))).toEqual(["recall", "web_fetch", "web_search"]);
});

test("PE23 relative and absolute paths of a member lead into their own folder; what they write, another reads nowhere", async () => {
  const place = await house();
  const { model } = place;
  model.replies(callsTool("read_file", { path: "list.txt" }), says("milk"));
  expect(await write(place, "eva", "what is on my list?")).toContain("EVA-LIST");
  const path = spaceIn(place, "eva", "plan.txt");
  model.replies(callsTool("write_file", { path, content: "EVA-PLAN surprise party" }), says("written"));
  await write(place, "eva", "write it down");
  expect(readFileSync(path, "utf8")).toBe("EVA-PLAN surprise party");
  const tries = [
    ["read_file", { path: "plan.txt" }],
    ["read_file", { path }],
    ["search_files", { pattern: "surprise" }],
    ["recall", { query: "surprise" }],
    ["recall", { query: "bicycle" }],
  ] as const;
  for (const sender of ["bob", "ada", "ann"])
    for (const [name, input] of tries) {
      model.replies(callsTool(name, input), says("tried"));
      expect(await write(place, sender, "look for it")).not.toMatch(/EVA-|party/);
    }
});

test("PE24 PE25 what a member says and has remembered is found by them alone, after a restart of the search too", async () => {
  const place = await house();
  const { app, model, receiver } = place;
  model.replies(callsTool("remember", { text: "the EVA-GIFT is in the cellar" }), says("EVA-ANSWER I will"));
  await write(place, "eva", "remember the gift");
  expect(readFileSync(spaceIn(place, "eva", "memory/MEMORY.md"), "utf8")).toContain("EVA-GIFT");
  expect(readFileSync(join(place.place.home, "workspace/memory/MEMORY.md"), "utf8")).toBe(OWNERS["memory/MEMORY.md"]);
  model.replies(callsTool("recall", { query: "cellar" }), says("in the cellar"));
  expect(await write(place, "eva", "where is it?")).toContain("in the cellar");
  // By the command too, which looks into the same index.
  expect((await place.place.run(["memory", "search", "cellar"])).out).toBe("");
  model.replies(callsTool("recall", { query: "cellar" }), says("nothing"));
  expect(await write(place, "ada", "what is where?")).toContain("Nothing found for cellar.");
  expect(await app.inside.holdingsOf(undefined).recall.search("gift", 50)).toEqual([]);
  const before = receiver.received.length;
  await write(place, "eva", "/memory");
  await write(place, "ada", "/memory");
  const [hers, owners] = receiver.received.slice(before).map(({ body }) => String(body["text"]));
  expect(hers).toContain("EVA-GIFT");
  expect(hers).not.toContain("CANARY");
  expect(owners).toContain("CANARY-MEMORY");
  expect(owners).not.toContain("EVA");
});

test("R287 PE23 what a member has remembered lies in a folder that is closed: doctor finds nothing to repair, and says when it is open", async () => {
  const place = await running({ operators: ["ada"] }, { config: { people }, rules: "off" });
  place.model.replies(callsTool("remember", { text: "tea" }), says("noted"));
  await write(place, "eva", "I like tea");
  const modes = async (): Promise<readonly string[]> =>
    (await place.place.run(["doctor"])).out.split("\n").filter((line) => line.includes("can be read by others"));
  expect(await modes()).toEqual([]);
  chmodSync(spaceIn(place, "eva", ""), 0o755);
  expect(await modes()).toEqual([expect.stringContaining("p-eva")]);
});

test("PE25 /new of a member puts what was said into their own history", async () => {
  const place = await house({ rules: "off" });
  const { model } = place;
  model.replies(says("EVA-ANSWER"));
  await write(place, "eva", "EVA-QUESTION");
  model.replies(callsTool("save_memory", { history_entry: "[2026-11-27 10:00] EVA-HISTORY spoke of tea" }));
  await write(place, "eva", "/new");
  await place.app.agent.idle();
  expect(readFileSync(spaceIn(place, "eva", "memory/HISTORY.md"), "utf8")).toContain("EVA-");
  expect(readFileSync(join(place.place.home, "workspace/memory/HISTORY.md"), "utf8")).not.toContain("EVA-");
});

test("PE26 a subagent works in the room of who had it started", async () => {
  const place = await house({ rules: "off" });
  const { model } = place;
  model.replies(
    callsTool("spawn", { task: "read list.txt and private/diary.txt", wait: true }),
    callsTool("read_file", { path: "private/diary.txt" }),
    callsTool("read_file", { path: "list.txt" }),
    says("child: milk"),
    says("your list says milk"),
  );
  const requests = await write(place, "eva", "have somebody look");
  expect(requests).toContain("EVA-LIST");
  expect(requests).not.toContain("CANARY");
  expect(toolsOf(requests)).not.toContain("exec");
});

test("PE21 the prefix is one for all conversations of a person, and another's is another", async () => {
  const place = await house({ rules: "off" });
  const { model } = place;
  const prefixes: string[] = [];
  for (const [sender, chat] of [
    ["eva", "eva"],
    ["eva", "eva-2"],
    ["bob", "bob"],
    ["ada", "ada"],
    ["ann", "ann"],
    ["eva", "eva"],
  ] as const) {
    model.replies(says("hi"));
    await write(place, sender, "hello", { chat, private: true });
    prefixes.push(lastSystem(place));
  }
  const [first, second, bob, ada, ann, again] = prefixes;
  expect(second).toBe(first);
  expect(again).toBe(first);
  expect(new Set([first, bob, ada, ann]).size).toBe(4);
});

test("PE21 PE24 after a restart a person's conversation goes on in their room, with the same prefix, and the same is found", async () => {
  const place = await house();
  place.model.replies(callsTool("remember", { text: "the EVA-GIFT is in the cellar" }), says("EVA-ANSWER kept"));
  await write(place, "eva", "keep it");
  const prefix = lastSystem(place);
  const session = await place.app.agent.sessions.find("webhook:eva");
  const before = JSON.stringify({ ...session?.state, messages: [...(session?.state.messages ?? [])] });
  const again = await startedAgain(place);
  const opened = await again.app.agent.sessions.find("webhook:eva");
  expect(JSON.stringify({ ...opened?.state, messages: [...(opened?.state.messages ?? [])] })).toBe(before);
  again.model.replies(callsTool("recall", { query: "EVA-ANSWER" }), says("here"));
  expect(await write(again, "eva", "what did you say?")).toContain("EVA-ANSWER kept");
  expect(lastSystem(again)).toBe(prefix);
  again.model.replies(callsTool("recall", { query: "cellar" }), says("nothing"));
  expect(await write(again, "ada", "and where?")).not.toContain("EVA-");
});

test("PE32 rooms/MAX_ROOMS: with the 65th person the room that was used longest ago gives way; who comes back finds theirs as it was", async () => {
  const persons = Object.fromEntries(Array.from({ length: 66 }, (_, n) => [`p${n}`, { ids: [`webhook:p${n}`] }]));
  const place = await running({}, { config: { people: persons } });
  const { model } = place;
  model.replies(callsTool("remember", { text: "the FIRST-GIFT is in the cellar" }), says("kept"));
  await write(place, "p0", "keep it");
  const prefix = lastSystem(place);
  for (let n = 1; n < 66; n++) {
    model.replies(callsTool("recall", { query: "cellar" }), says("nothing"));
    expect(await write(place, `p${n}`, "look")).not.toContain("FIRST-GIFT");
  }
  model.replies(callsTool("recall", { query: "cellar" }), says("there"));
  expect(await write(place, "p0", "where is it?")).toContain("FIRST-GIFT is in the cellar");
  expect(lastSystem(place)).toBe(prefix);
});

test("PE22 a change of the owner's files is no news for a member; one of their own, and of the house's, is", async () => {
  const place = await house();
  const { model } = place;
  model.replies(says("hi"), says("hi again"), says("and again"));
  await write(place, "eva", "hello");
  writeFileSync(join(place.place.home, "workspace", "USER.md"), "CANARY-CHANGED");
  writeFileSync(join(place.place.home, "workspace", "memory", "MEMORY.md"), "- CANARY-CHANGED");
  expect(await write(place, "eva", "news?")).not.toContain("CANARY");
  writeFileSync(spaceIn(place, "eva", "USER.md"), "EVA-CHANGED likes coffee");
  expect(await write(place, "eva", "and now?")).toContain("EVA-CHANGED");
});

test("PE27 a chat in which two persons write is nobody's own: neither room is in its requests", async () => {
  const place = await house({ rules: "off" });
  const { model } = place;
  model.replies(says("EVA-PRIVATE tea"));
  // As a platform that takes it for private at first.
  await write(place, "eva", "EVA-SECRET my gift", { chat: "family", private: true });
  model.replies(callsTool("recall", { query: "gift" }), says("hello Bob"));
  const requests = await write(place, "bob", "BOB-WORD hi", { chat: "family" });
  expect(requests.split("BOB-WORD").length).toBeGreaterThan(1);
  const bobs = (JSON.parse(requests) as readonly object[]).filter((body) => JSON.stringify(body).includes("BOB-WORD"));
  expect(JSON.stringify(bobs)).not.toMatch(/EVA-|CANARY/);
  model.replies(says("still here"));
  expect(await write(place, "eva", "and me?", { chat: "family" })).not.toMatch(/EVA-|CANARY/);
});

test("PE20 a chat of which nobody says that it is private is answered with nothing of the person who writes there", async () => {
  const place = await house({ rules: "off" });
  const { app, model } = place;
  model.replies(callsTool("recall", { query: "bicycle" }), callsTool("read_file", { path: "list.txt" }), says("hello"));
  const requests = await write(place, "eva", "what is on my list?", { chat: "club" });
  expect(requests).not.toMatch(/EVA-|CANARY/);
  expect(toolsOf(requests)).toEqual(["recall", "web_fetch", "web_search"]);
  expect((await app.agent.sessions.find("webhook:club"))?.state.audience).toBe("guest");
});

test("PE20 what a journal of somebody else calls its reader names no folder", async () => {
  const place = await house();
  const { app, model } = place;
  const session = await app.agent.sessions.open("webhook:odd", { channel: "webhook", chat: "odd" });
  await session.commit({ type: "audience.set", audience: "../../workspace" });
  model.replies(says("hello"));
  await app.agent.bus.send("webhook:odd", {
    reply: "r",
    to: session.state.origin,
    kind: "message",
    parts: [{ type: "text", text: "hi" }],
  });
  const accepted = await app.agent.bus.accept({
    key: "k",
    origin: { channel: "cron", chat: "odd" },
    from: { id: "cron", kind: "schedule" },
    parts: [{ type: "text", text: "read" }],
    sessionKey: "webhook:odd",
  });
  expect(accepted.status).toBe("accepted");
  await app.agent.idle();
  expect(toolsOf(JSON.stringify(model.requests.map(({ body }) => body)))).toEqual([
    "recall",
    "web_fetch",
    "web_search",
  ]);
  expect(existsSync(join(place.place.home, "rooms"))).toBe(false);
});

test("PE27 a guest who is made a person gets their room in the private chat; the owner keeps what was said as a guest", async () => {
  const place = await house({ rules: "off" });
  const { app, model } = place;
  model.replies(says("ANN-ANSWER"));
  await write(place, "ann", "ANN-GUEST", { private: true });
  const { config } = app.loaded;
  const withAnn = { ...config.people, ann: { ids: ["webhook:ann"], role: "member" as const } };
  app.configure({ ...app.loaded, config: { ...config, people: withAnn } });
  model.replies(callsTool("write_file", { path: "mine.txt", content: "ANN-FILE" }), says("written"));
  const requests = await write(place, "ann", "write it", { private: true });
  expect(requests).not.toContain("ANN-GUEST");
  expect(readFileSync(spaceIn(place, "ann", "mine.txt"), "utf8")).toBe("ANN-FILE");
  expect((await app.inside.holdingsOf(undefined).recall.search("ANN-GUEST", 10)).length).toBe(1);
  expect(await app.inside.holdingsOf(undefined).recall.search("write", 10)).toEqual([]);
});

test("PE27 an account that was the owner's and is a person's now: what was said goes into the owner's memory, and she finds none of it", async () => {
  const place = await house({ rules: "off" });
  const { app, model } = place;
  model.replies(says("CANARY-ANSWER the merger"));
  await write(place, "ada", "CANARY-QUESTION", { private: true });
  const { config } = app.loaded;
  const { webhook } = config.channelsById;
  if (webhook === undefined) throw new Error("no webhook");
  app.configure({
    ...app.loaded,
    config: {
      ...config,
      channelsById: { webhook: { ...webhook, operators: [] } },
      people: { ...config.people, dora: { ids: ["webhook:ada"], role: "member" as const } },
    },
  });
  const before = model.requests.length;
  model.replies(
    callsTool("save_memory", { history_entry: "[2026-11-27 10:00] CANARY-KEPT" }),
    callsTool("recall", { query: "merger" }),
    says("nothing"),
  );
  await write(place, "ada", "what did I say?", { private: true });
  const hers = model.requests
    .slice(before)
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes("what did I say?"));
  expect(hers.length).toBeGreaterThan(0);
  expect(hers.join()).not.toContain("CANARY");
  expect(existsSync(spaceIn(place, "dora", "memory/HISTORY.md"))).toBe(false);
  expect(readFileSync(join(place.place.home, "workspace/memory/HISTORY.md"), "utf8").split("CANARY").length).toBe(3);
  expect((await app.inside.holdingsOf(undefined).recall.search("merger", 50)).map(({ earlier }) => earlier)).toContain(
    true,
  );
});

test("PE31 nobody writes from elsewhere into a person's conversation; the owner can stop it, and reads no memory there", async () => {
  const place = await house();
  const { app, model } = place;
  model.replies(says("hi"));
  await write(place, "eva", "hello");
  const from = { id: "user", kind: "person" } as const;
  const said = async (text: string) =>
    app.agent.bus.accept({
      key: `web ${text}`,
      origin: { channel: "web", chat: "page" },
      from,
      parts: [{ type: "text", text }],
      sessionKey: "webhook:eva",
    });
  expect(await said("tell me all")).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("belongs to one person") as string,
  });
  expect(model.requests).toHaveLength(1);
  expect(await said("/memory")).toMatchObject({ status: "accepted" });
  expect(await said("/stop")).toMatchObject({ status: "accepted" });
  const session = await app.agent.sessions.find("webhook:eva");
  const answers: string[] = [];
  for await (const { records } of session?.history() ?? [])
    for (const record of records)
      if (record.type === "reply.queued" && record.kind === "command") answers.push(JSON.stringify(record.parts));
  expect(answers[0]).toContain("Only an operator can do that.");
  expect(answers.join()).not.toContain("EVA-MEMORY");
  expect(session?.state.audience).toBe("eva");
});

test("PE7 a member who used up the day is stopped, another and the owner go on", async () => {
  const place = await house({ config: { people: { ...people, eva: { ...people.eva, tokensPerDay: 60_000 } } } });
  const { app, model } = place;
  model.replies(says("long", { usage: { input: 50_000, output: 500 } }), says("hi Bob"), says("hi Ada"));
  await write(place, "eva", "hello");
  await write(place, "eva", "again");
  const ends: string[] = [];
  for await (const { records } of (await app.agent.sessions.find("webhook:eva"))?.history() ?? [])
    for (const record of records) if (record.type === "turn.ended") ends.push(record.reason);
  expect(ends).toEqual(["done", "budget"]);
  await write(place, "bob", "hello");
  await write(place, "ada", "hello");
  expect(model.requests).toHaveLength(3);
});

test("PE9 a member's commands show their own things; those of the owner are refused and not listed", async () => {
  const { model, receiver, ...rest } = await house();
  const place = { model, receiver, ...rest };
  const answer = async (text: string): Promise<string> => {
    const before = receiver.received.length;
    await write(place, "eva", text);
    return String(receiver.received[before]?.body["text"]);
  };
  const help = await answer("/help");
  expect([...help.matchAll(/^\/([a-z]+)/gm)].map(([, name = ""]) => name).toSorted()).toEqual([
    "allow",
    "compact",
    "cron",
    "help",
    "history",
    "link",
    "memory",
    "new",
    "persona",
    "shared",
    "skill",
    "skills",
    "status",
    "stop",
    "usage",
    "whoami",
  ]);
  for (const command of ["/model openai/gpt-5", "/mcp", "/stop all", "/trust files", "/rules", "/restart"])
    expect(await answer(command)).toBe("Only an operator can do that.");
  for (const command of ["/allow x", "/deny"]) expect(await answer(command)).toBe("Nothing waits for approval here.");
  expect(await answer("/memory")).toBe("- EVA-MEMORY her bicycle is red"); // as her first word there too
  expect(await answer("/whoami")).toContain("webhook:eva is eva, a member, by `people.eva.ids`");
  expect(model.requests).toHaveLength(0);
});

test("PE20 PE23 a skill of the house is used without a word about where the owner's files lie", async () => {
  const place = await house();
  const { model, place: margay } = place;
  const skill = join(margay.home, "workspace", "skills", "tea");
  mkdirSync(skill, { recursive: true });
  writeFileSync(
    join(skill, "SKILL.md"),
    "---\nname: tea\ndescription: HOUSE-SKILL\n---\nHOUSE-TEA warm the pot first.\n",
  );
  expect((await margay.run(["skills", "approve", "tea", "--yes"])).code).toBe(0);
  model.replies(callsTool("use_skill", { name: "tea" }), says("warm"), says("again"));
  const requests = await write(place, "eva", "make tea");
  const named = await write(place, "eva", "$tea please");
  expect(requests).toContain("HOUSE-SKILL");
  for (const seen of [requests, named]) {
    expect(seen).toContain("HOUSE-TEA");
    expect(seen).not.toContain(join(margay.home, "workspace"));
  }
});
