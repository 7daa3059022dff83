// What one person's conversation would tell another, and belongs to somebody else: asked of them, told by their yes, and by nothing else.
import type { Session } from "@margay/core";
import type { CallId } from "@margay/core/internal";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, type RunningOptions, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const SECRET = "the EVA-GIFT is a red kite";
const people = {
  owner: { ids: ["webhook:ada"], name: "Ada" },
  eva: { name: "Eva", ids: ["webhook:eva"] },
  bob: { name: "Bob", ids: ["webhook:bob"] },
  carl: { name: "Carl", ids: ["webhook:carl"] },
};
const ASKED = "Not sent; its owner was asked.";

async function house(options: RunningOptions = {}): Promise<Running> {
  const place = await running({}, { rules: "off", ...options, config: { people, ...options.config } });
  for (const who of ["ada", "eva", "bob", "carl"]) await write(place, who, "hi");
  return place;
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<string> {
  const before = place.model.requests.length;
  await postSigned(place.port, { id: `l${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return JSON.stringify(place.model.requests.slice(before).map(({ body }) => body));
}

/** The model does this once, then says that it did. @returns what it saw. */
function result(seen: string): string {
  return [...seen.matchAll(/"role":"tool"[^}]*"content":"((?:[^"\\]|\\.)*)"/g)].at(-1)?.[1] ?? "";
}

async function does(place: Running, sender: string, tool: string, input: object): Promise<string> {
  place.model.replies(callsTool(tool, { ...input }), says("did it"));
  return result(await write(place, sender, `use ${tool}`));
}

function texts({ receiver }: Running, chat: string): readonly string[] {
  return receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body: { text } }) => String(text));
}

function told(place: Running, chat: string): string {
  return texts(place, chat).join("\n---\n");
}

/** With and without some persons. */
function withPeople({ app }: Running, more: object, without: readonly string[]): Running["app"]["loaded"] {
  const left = Object.fromEntries(Object.entries(app.loaded.config.people).filter(([id]) => !without.includes(id)));
  const roles = Object.fromEntries(
    Object.entries(more).map(([id, one]: [string, object]) => [id, { role: "member", ...one }]),
  );
  return { ...app.loaded, config: { ...app.loaded.config, people: { ...left, ...roles } } } as Running["app"]["loaded"];
}

/** What a model would see of it, and what was said there: without times and ids. */
async function conversation(place: Running, chat: string): Promise<string> {
  const session = await place.app.agent.sessions.find(`webhook:${chat}`);
  const rows = session?.state.messages.map((row) => ("parts" in row ? [row.role, row.parts] : [row.role, row.text]));
  return JSON.stringify([rows, texts(place, chat)])
    .replaceAll(/time=[^,]+/g, "time")
    .replaceAll(/"callId":"[^"]+"/g, "")
    .replaceAll(/\/(allow|deny) [2-9A-Z]{4}/g, "/$1");
}

/** The word by which the last question in a chat is answered. */
function codeIn(place: Running, chat: string): string {
  return /\/allow ([2-9A-Z]{4})/.exec(texts(place, chat).findLast((text) => text.includes("/allow ")) ?? "")?.[1] ?? "";
}

async function tells(place: Running, from: string, chat_id: string, content: string): Promise<string> {
  return does(place, from, "message", { channel: "webhook", chat_id, content });
}

/** Bob was told by Eva, and would tell Carl. */
async function asked(place: Running, content = `psst: ${SECRET}`): Promise<void> {
  await tells(place, "eva", "bob", SECRET);
  expect(await tells(place, "bob", "carl", content)).toContain(ASKED);
}

/** Bob lets go what is his. */
async function lets(place: Running, who: string, words = ""): Promise<void> {
  await write(place, who, `/allow ${codeIn(place, who)} ${words}`.trim());
}

const OPERATOR = { id: "user", kind: "person" } as const;

test("PE43 PE46 Eva tells Bob, and both are asked before Carl hears: the exact words, to whom, why, of what; two yes have them sent, once", async () => {
  const place = await house();
  await asked(place);
  const ofBob = texts(place, "bob").at(-2) ?? "";
  for (const part of ["Carl (webhook:carl)", `psst: ${SECRET}`, "After you Eva is asked too"])
    expect(ofBob).toContain(part);
  expect(told(place, "eva")).not.toContain("psst");
  await lets(place, "bob");
  const question = texts(place, "eva").at(-1) ?? "";
  for (const part of [
    `\`\`\`\npsst: ${SECRET}\n\`\`\``,
    "Carl (webhook:carl)",
    "conversation of Bob",
    `earlier: ${SECRET}`,
  ])
    expect(question).toContain(part);
  expect(told(place, "carl")).not.toContain("EVA-GIFT");
  await lets(place, "eva");
  expect(texts(place, "carl").at(-1)).toBe(`psst: ${SECRET}`);
  const session = await place.app.agent.sessions.find("webhook:carl");
  expect(session?.state.label).toMatchObject({
    integrity: "untrusted",
    readers: [
      { to: ["bob", "carl"], by: "bob" },
      { to: ["bob", "carl", "eva"], by: "eva" },
    ],
  });
  // What the reader makes of it stays within that: it is asked for again before it goes on.
  expect(await tells(place, "carl", "ada", "EVA-GIFT heard")).toContain(ASKED);
  for (const who of ["carl", "bob", "eva"]) {
    expect(told(place, "ada")).not.toContain("EVA-GIFT");
    await lets(place, who);
  }
  expect(texts(place, "ada").at(-1)).toBe("EVA-GIFT heard");
});

test("PE43 answered once, by whom it belongs to and nobody else, for exactly that text and reader", async () => {
  const place = await house();
  const { app } = place;
  await asked(place);
  const code = codeIn(place, "bob");
  const releaseOf = async (chat: string): Promise<NonNullable<Session["state"]["releases"]>[number] | undefined> =>
    (await app.agent.sessions.find(`webhook:${chat}`))?.state.releases?.at(-1);
  const { id, hash } = (await releaseOf("bob")) ?? {};
  // Others, in their chats and in his; the owner at the machine; another hash; a word that says nothing; no word at all.
  for (const who of ["eva", "carl", "ada"]) await write(place, who, `/allow ${code}`);
  await postSigned(place.port, { id: "t1", chat: "bob", sender: "eva", text: `/allow ${code}`, private: true });
  await app.agent.idle();
  for (const answer of [
    { type: "allow" as const, call: code as CallId },
    { type: "allow" as const, call: id as CallId, hash: hash ?? "" },
    { type: "deny" as const, call: code as CallId },
  ])
    expect(await app.agent.control("webhook:bob", answer, OPERATOR)).toMatchObject({ done: false });
  for (const text of ["/allow AAAA", "yes", "ok", "👍"]) await write(place, "bob", text);
  expect((await releaseOf("bob"))?.verdict).toBeUndefined();
  expect(told(place, "eva")).not.toContain("psst");
  // The first answer counts.
  await write(place, "bob", `/deny ${code}`);
  expect(texts(place, "bob").at(-1)).toBe("Denied.");
  await write(place, "bob", `/allow ${code}`);
  expect(texts(place, "bob").at(-1)).toBe("Nothing waits for approval here.");
  expect((await releaseOf("bob"))?.verdict).toBe("deny");
  // The same is not asked again; another text, or another reader, is another question.
  const questions = (): number => texts(place, "bob").filter((text) => text.includes("would be told this")).length;
  expect(await tells(place, "bob", "carl", `psst: ${SECRET}`)).toContain(ASKED);
  expect(questions()).toBe(1);
  expect(await tells(place, "bob", "carl", `psst: ${SECRET}!`)).toContain(ASKED);
  expect(questions()).toBe(2);
  expect(await tells(place, "bob", "ada", `psst: ${SECRET}!`)).toContain(ASKED);
  expect(questions()).toBe(3);
  expect(new Set(["carl", "ada", "eva"].map((who) => told(place, who).includes("psst")))).toEqual(new Set([false]));
});

test("PE43 PE47 nothing is sent when somebody else reads there by the time of the yes, or who is asked is nobody any more", async () => {
  const place = await house();
  await asked(place);
  await lets(place, "bob");
  const code = codeIn(place, "eva");
  place.app.configure(withPeople(place, { dora: { name: "Dora", ids: ["webhook:carl"] } }, ["carl"]));
  await write(place, "carl", "it is Dora now");
  await write(place, "eva", `/allow ${code}`);
  const session = await place.app.agent.sessions.find("webhook:eva");
  expect(session?.state.releases?.at(-1)).toMatchObject({ closed: true });
  expect(session?.state.releases?.at(-1)).not.toHaveProperty("verdict");
  expect(told(place, "carl")).not.toContain("psst");
  expect(told(place, "carl")).not.toContain("I may not say that here");
  expect(await tells(place, "bob", "ada", `psst: ${SECRET}`)).toContain(ASKED);
  place.app.configure(withPeople(place, {}, ["bob"]));
  await lets(place, "bob");
  expect(told(place, "eva")).not.toContain("ada");
  expect(told(place, "ada")).not.toContain("psst");
});

test("PE43 nobody answers for 24 hours: it is over, and a later yes sends nothing; also when margay was not running", async () => {
  const clock = fakeClock(Date.now());
  const place = await house({ clock });
  await asked(place);
  const session = await place.app.agent.sessions.find("webhook:bob");
  const [first] = session?.state.releases ?? [];
  await clock.advance(24 * 3_600_000 - 1);
  expect(session?.state.releases?.at(-1)?.closed).toBeUndefined();
  await clock.advance(1);
  await expect.poll(() => session?.state.releases?.at(-1)?.closed).toBe(true);
  const code = codeIn(place, "bob");
  const answer = { id: "late", chat: "bob", sender: "bob", text: `/allow ${code}`, private: true };
  await postSigned(place.port, answer, { late: -86_400 });
  await place.app.agent.idle();
  expect(texts(place, "bob").at(-1)).toBe("Nothing waits for approval here.");
  expect(told(place, "eva")).not.toContain("psst");
  if (first !== undefined)
    await session?.commit({ type: "release.asked", ...first, id: "old", code: "OLDX" as CallId, expiresAt: 1 });
  const again = await startedAgain(place);
  const late = await again.app.agent.sessions.find("webhook:bob");
  await expect.poll(() => late?.state.releases?.at(-1)).toMatchObject({ id: "old", closed: true });
});

test("PE94 PE43 a crash between the answer and what it brings: told once, after the next start; one before it: the question waits on", async () => {
  let place = await house();
  const { agent } = place.app;
  await asked(place);
  const bob = await agent.sessions.find("webhook:bob");
  const [first] = bob?.state.releases ?? [];
  place = await startedAgain(place);
  expect(told(place, "eva")).not.toContain("psst");
  const again = await place.app.agent.sessions.find("webhook:bob");
  const { id = "", hash = "" } = first ?? {};
  // What a process leaves that dies behind this commit.
  await again?.commit({ type: "release.answered", release: id, hash, verdict: "allow", by: "bob" });
  place = await startedAgain(place);
  await place.receiver.took(place.receiver.received.length);
  await expect.poll(() => told(place, "eva")).toContain("psst");
  const eva = await place.app.agent.sessions.find("webhook:eva");
  expect((await place.app.agent.sessions.find("webhook:bob"))?.state.releases?.at(-1)?.closed).toBe(true);
  await eva?.commit({
    type: "release.answered",
    release: id,
    hash: eva.state.releases?.[0]?.hash ?? "",
    verdict: "allow",
    by: "eva",
  });
  const [of] = eva?.state.releases ?? [];
  // It was sent, and the process died before it said so.
  if (of !== undefined) {
    const { to, parts, marks } = of;
    const from = { id: "message", kind: "agent" } as const;
    await place.app.agent.bus.send("webhook:carl", { reply: id, to, kind: "message", parts, from, marks });
  }
  place = await startedAgain(place);
  await expect
    .poll(async () => (await place.app.agent.sessions.find("webhook:eva"))?.state.releases?.at(-1)?.closed)
    .toBe(true);
  await place.app.agent.idle();
  expect(texts(place, "carl").filter((text) => text.includes("psst"))).toEqual([`psst: ${SECRET}`]);
});

test("PE44 no, and no answer: the asker's conversation is the same to the byte, and nothing arrives", async () => {
  const seen: string[] = [];
  for (const answer of ["/deny", undefined]) {
    const place = await house();
    await asked(place);
    await lets(place, "bob");
    if (answer !== undefined) await write(place, "eva", `${answer} ${codeIn(place, "eva")}`);
    expect(await tells(place, "bob", "bob", "still here")).toContain("Queued");
    seen.push(await conversation(place, "bob"));
    expect(told(place, "carl")).not.toContain("psst");
  }
  expect(new Set(seen).size).toBe(1);
});

test("PE47 PE43 a question that waits for its platform is not read by a guest who came into the chat meanwhile", async () => {
  const place = await running({ allowFrom: ["ann"] }, { rules: "off", config: { people } });
  for (const who of ["eva", "bob", "carl"]) await write(place, who, "hi");
  await tells(place, "eva", "bob", SECRET);
  const { app, receiver, port } = place;
  const bob = await app.agent.sessions.find("webhook:bob");
  receiver.answer(503, 1);
  const before = receiver.calls;
  place.model.replies(
    callsTool("message", { channel: "webhook", chat_id: "carl", content: `psst: ${SECRET}` }),
    says("did it"),
  );
  await postSigned(port, { id: "w1", chat: "bob", sender: "bob", text: "tell Carl", private: true });
  await receiver.called(before + 1);
  await app.agent.idle();
  await postSigned(port, { id: "w2", chat: "bob", sender: "ann", text: "hello" });
  await expect.poll(() => bob?.state.audience).toBe("guest");
  await app.agent.hurry("webhook:bob", bob?.state.outbox[0]?.reply ?? "");
  await app.agent.idle();
  expect(told(place, "bob")).not.toContain("psst");
});

test("PE43 who has no private chat cannot be asked, nor can a file be shown: it is refused, as before", async () => {
  const place = await house({ files: {} });
  await write(place, "eva", "hi");
  await tells(place, "eva", "bob", SECRET);
  await does(place, "bob", "write_file", { path: "a.txt", content: "x" });
  const withFile = { channel: "webhook", chat_id: "carl", content: "look", media: ["a.txt"] };
  expect(await does(place, "bob", "message", withFile)).toContain("its owner must do it");
  await place.app.agent.sessions.remove("webhook:eva");
  expect(await tells(place, "bob", "carl", SECRET)).toContain("its owner must do it");
  expect(told(place, "carl")).not.toContain("EVA-GIFT");
});

test("PE43 what a rule forbids stays forbidden: nobody is asked", async () => {
  const place = await house();
  await tells(place, "eva", "bob", SECRET);
  const { app } = place;
  const { config } = app.loaded;
  app.configure({
    ...app.loaded,
    config: { ...config, policy: { ...config.policy, rules: [{ tool: "message", action: "deny" }] } },
  });
  expect(await tells(place, "bob", "carl", `psst: ${SECRET}`)).not.toContain(ASKED);
  expect((await app.agent.sessions.find("webhook:bob"))?.state.releases).toBeUndefined();
});

test("PE99 a job that nobody attends asks whom it belongs to, and does not wait", async () => {
  const place = await house();
  const { app, model } = place;
  await does(place, "eva", "cron", { action: "add", message: "tell Bob", every_seconds: 3600 });
  const [job] = (await app.schedule.cron?.list()) ?? [];
  model.replies(callsTool("message", { channel: "webhook", chat_id: "bob", content: SECRET }), says("(nothing)"));
  await app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
  await app.agent.idle();
  expect(told(place, "bob")).not.toContain("EVA-GIFT");
  await lets(place, "eva");
  expect(texts(place, "bob").at(-1)).toBe(SECRET);
});

test("PE91 `margay approvals` lists what waits for the owner in every place, once, and answers it; also while nothing runs", async () => {
  let place = await house();
  await tells(place, "ada", "eva", SECRET);
  expect(await tells(place, "eva", "carl", `psst: ${SECRET}`)).toContain(ASKED);
  await lets(place, "eva");
  // What is asked of Eva is hers.
  await tells(place, "eva", "bob", SECRET);
  const { agent } = place.app;
  const origin = { channel: "webhook", chat: "eva" };
  const from = { id: "eva", kind: "person" } as const;
  place.model.replies(
    callsTool("message", { channel: "webhook", chat_id: "zoe", content: "hello Zoe" }),
    says("I may not"),
  );
  const parts = [{ type: "text", text: "write to Zoe" }] as const;
  await agent.bus.accept({ key: "zoe", origin, from, parts, chat: "private", attended: true });
  await agent.idle();
  expect(texts(place, "ada").at(-1)).toContain("hello Zoe");
  const waiting = (await agent.approvals()).map(({ sessionKey, name }) => `${sessionKey} ${name}`).toSorted();
  await place.close();
  const { run } = place.place;
  const listed = JSON.parse((await run(["approvals", "list", "--json"])).out) as readonly {
    code: string;
    name: string;
    prompt: string;
  }[];
  const codeOfKind = (kind: string): string => listed.find(({ name }) => name === kind)?.code ?? "";
  expect(waiting).toEqual(["webhook:ada release", "webhook:eva message"]);
  expect(listed).toHaveLength(2);
  expect(listed.find(({ name }) => name === "release")?.prompt).toBe(`webhook:carl (carl)\npsst: ${SECRET}`);
  expect((await run(["approvals", "allow", codeOfKind("release"), "--words", "ask Ada"])).code).toBe(0);
  expect((await run(["approvals", "deny", codeOfKind("message")])).code).toBe(0);
  expect((await run(["approvals", "list"])).out).toBe("Nothing waits for an approval.\n");
  place = await startedAgain(place);
  await expect.poll(() => texts(place, "carl").at(-1)).toBe("ask Ada");
  await expect.poll(() => texts(place, "eva").at(-1)).toBe("I may not");
  const ada = await place.app.agent.sessions.find("webhook:ada");
  await expect.poll(() => ada?.state.releases?.every(({ closed }) => closed === true)).toBe(true);
  expect(told(place, "zoe")).toBe("");
});
