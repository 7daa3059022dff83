// What one person was told by another goes no further without its owner: not in messages, jobs, memory, search, or what waits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const SECRET = "the EVA-GIFT is a red kite";
const people = {
  eva: { name: "Eva", ids: ["webhook:eva"] },
  bob: { ids: ["webhook:bob"] },
  carl: { ids: ["webhook:carl"] },
};

async function house(): Promise<Running> {
  return running({ operators: ["ada"], allowFrom: ["ann"] }, { config: { people }, rules: "off" });
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<string> {
  const before = place.model.requests.length;
  await postSigned(place.port, { id: `r${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return JSON.stringify(place.model.requests.slice(before).map(({ body }) => body));
}

/** The model does this once, then says that it did. @returns what it saw. */
async function does(place: Running, sender: string, tool: string, input: object): Promise<string> {
  place.model.replies(callsTool(tool, { ...input }), says("did it"));
  return write(place, sender, `use ${tool}`);
}

function told({ receiver }: Running, chat: string): string {
  return JSON.stringify(receiver.received.filter(({ body }) => body["chat"] === chat));
}

function without({ app }: Running, person: string): void {
  const { [person]: _gone, ...others } = app.loaded.config.people;
  app.configure({ ...app.loaded, config: { ...app.loaded.config, people: others } });
}

const REFUSED = "its owner must do it";
const ASKED = "Not sent; its owner was asked.";

/** Whose word the last text needs that was not sent, in order. */
async function whoseWord({ app }: Running, chats: readonly string[]): Promise<readonly string[]> {
  const all = await Promise.all(chats.map((chat) => app.agent.sessions.find(`webhook:${chat}`)));
  const last = all
    .flatMap((session) => session?.state.releases ?? [])
    .toSorted((a, b) => a.askedAt - b.askedAt)
    .at(-1);
  return last === undefined ? [] : [last.of, ...last.next.map(({ of }) => of)];
}
const NOT_HERE = "I may not say that here. Its owner must do it.";

/** Eva has Bob told of the gift. */
async function toldBob(place: Running): Promise<void> {
  await write(place, "bob", "hi");
  await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: SECRET });
  expect(told(place, "bob")).toContain("EVA-GIFT");
}

test("PE46 PE40 what Eva told Bob he tells nobody, at once and after a restart; his own words go on", async () => {
  let place = await house();
  await toldBob(place);
  const again = async (): Promise<void> => {
    for (const chat_id of ["carl", "ada", "ann"]) {
      const seen = await does(place, "bob", "message", { channel: "webhook", chat_id, content: `psst: ${SECRET}` });
      expect(seen).toContain(ASKED);
      expect(await whoseWord(place, ["bob", "eva"])).toEqual(["bob", "eva"]);
      expect(told(place, chat_id)).not.toContain("EVA-GIFT");
    }
  };
  await again();
  place = await startedAgain(place);
  await again();
  // Emptied, the conversation holds only what is Bob's.
  await write(place, "bob", "/new");
  await does(place, "bob", "message", { channel: "webhook", chat_id: "carl", content: "dinner at seven" });
  expect(told(place, "carl")).toContain("dinner at seven");
});

test("PE46 what a member finds again of it in another context, or has a subagent find is the owner's still", async () => {
  const place = await house();
  await write(place, "eva", "hi");
  await does(place, "ada", "message", { channel: "webhook", chat_id: "eva", content: SECRET });
  const psst = { channel: "webhook", chat_id: "bob", content: SECRET };
  for (const [tool, input] of [
    ["recall", { query: "kite" }],
    ["spawn", { task: "recall the kite", wait: true }],
  ] as const) {
    await write(place, "eva", "/new");
    place.model.replies(
      callsTool(tool, { ...input }),
      ...(tool === "spawn" ? [callsTool("recall", { query: "kite" }), says(SECRET)] : []),
      callsTool("message", psst),
      says("did it"),
    );
    const seen = await write(place, "eva", "find out and tell Bob");
    expect(seen).toContain("EVA-GIFT");
    expect(seen).toContain(ASKED);
    expect(await whoseWord(place, ["ada", "eva"])).toEqual(["eva", "owner"]);
  }
  expect(told(place, "bob")).not.toContain("EVA-GIFT");
});

test("PE40 PE42 who asks for it has their own things told without a question; a job of theirs does not", async () => {
  const place = await house();
  const { app, model } = place;
  await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: "I am late" });
  expect(told(place, "bob")).toContain("I am late");
  const added = await does(place, "eva", "cron", { action: "add", message: "tell Bob", every_seconds: 3600 });
  expect(added).toContain("Added job");
  const [job] = (await app.schedule.cron?.list()) ?? [];
  model.replies(callsTool("message", { channel: "webhook", chat_id: "bob", content: SECRET }), says("(nothing)"));
  await app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
  await app.agent.idle();
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(ASKED);
  expect(await whoseWord(place, ["eva"])).toEqual(["eva"]);
  expect(told(place, "bob")).not.toContain("EVA-GIFT");
});

test("PE41 what a guest said the owner finds, and a job of the owner's tells it to nobody", async () => {
  const place = await house();
  const { app, model } = place;
  model.replies(says("I see"));
  await write(place, "ann", "ANN-SECRET my knee hurts");
  await write(place, "eva", "hi");
  await does(place, "ada", "recall", { query: "knee" });
  const session = await app.agent.sessions.find("webhook:ada");
  expect(session?.state.label.readers).toEqual([{ to: ["guest:webhook:ann"], by: "owner" }]);
  const to = { channel: "webhook", chat: "ada" };
  const job = await app.schedule.cron?.add({ message: "ask how Ann is", every_seconds: 3600, to });
  model.replies(callsTool("message", { channel: "webhook", chat_id: "eva", content: "knee" }), says("(nothing)"));
  await app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
  await app.agent.idle();
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(ASKED);
  expect(await whoseWord(place, ["ada"])).toEqual(["owner"]);
  expect(told(place, "eva")).not.toContain("knee");
});

test("PE41 PE89 what somebody has another told is a stranger's text there, also what the owner has told", async () => {
  const place = await house();
  await write(place, "ada", "hi");
  await write(place, "eva", "hi");
  for (const [from, to] of [
    ["eva", "ada"],
    ["ada", "eva"],
  ] as const) {
    await does(place, from, "message", { channel: "webhook", chat_id: to, content: "run the script" });
    expect((await place.app.agent.sessions.find(`webhook:${to}`))?.state.label).toEqual({
      integrity: "untrusted",
      confidentiality: "public",
      readers: [{ to: ["eva", "owner"], by: from === "ada" ? "owner" : "eva" }],
    });
    await write(place, to, "/new");
  }
});

test("PE47 an answer that waits for its platform is not sent to who was removed meanwhile, nor one that is being made", async () => {
  const place = await house();
  const { app, model, receiver, port } = place;
  const slow = stalls({ rest: says("BOB-ANSWER of his mail") });
  model.replies(slow);
  await postSigned(port, { id: "q1", chat: "bob", sender: "bob", text: "read my mail", private: true });
  await model.received(1);
  without(place, "bob");
  slow.release();
  await app.agent.idle();
  expect(receiver.received.map(({ body: { text } }) => text)).toEqual([NOT_HERE]);
  const session = await app.agent.sessions.find("webhook:bob");
  const texts = JSON.stringify(session?.state.messages.filter(({ role }) => role === "notice"));
  expect(texts).toContain("was not shown");
});

test("PE47 a reply that is in the outbox when its reader is removed leaves without its words", async () => {
  const place = await house();
  const { app, model, receiver, port } = place;
  receiver.answer(503, 1);
  model.replies(says("BOB-ANSWER of his mail"));
  await postSigned(port, { id: "q2", chat: "bob", sender: "bob", text: "read my mail", private: true });
  await receiver.called(1);
  without(place, "bob");
  const session = await app.agent.sessions.find("webhook:bob");
  await app.agent.hurry("webhook:bob", session?.state.outbox[0]?.reply ?? "");
  await receiver.took(1);
  expect(receiver.received.map(({ body: { text } }) => text)).toEqual([NOT_HERE]);
});

test("PE47 what is shown while an answer is made is kept from who was removed meanwhile", async () => {
  const place = await running(
    { operators: ["ada"] },
    { config: { people, channels: { sendToolHints: true } }, rules: "off" },
  );
  const { app, model, receiver, port } = place;
  const working = callsTool("list_dir", { path: "." }, { text: "BOB-WORK looking at his mail" });
  model.replies(working, says("done"));
  await write(place, "bob", "what is there?");
  expect(told(place, "bob")).toContain("BOB-WORK");
  expect(told(place, "bob")).toContain("list_dir");
  const slow = stalls({ rest: working });
  model.replies(slow, says("BOB-ANSWER"));
  const before = receiver.received.length;
  const asked = model.requests.length;
  await postSigned(port, { id: "q3", chat: "bob", sender: "bob", text: "and now?", private: true });
  await model.received(asked + 1);
  without(place, "bob");
  slow.release();
  await app.agent.idle();
  expect(receiver.received.slice(before).map(({ body: { text } }) => text)).toEqual([NOT_HERE]);
});

test("PE46 what was kept of it in the memory, by a call or when the conversation left, says whose it is when it is found", async () => {
  const place = await running(
    { operators: ["ada"] },
    { config: { people, policy: { rules: [{ tool: "remember", action: "allow" }] } }, rules: "off" },
  );
  const { app, model } = place;
  await toldBob(place);
  await does(place, "bob", "remember", { text: "REMEMBERED the kite is red" });
  const memory = join(place.place.home, "spaces/p-bob/memory/MEMORY.md");
  model.replies(
    callsTool("save_memory", {
      history_entry: "[2026-11-27 10:00] LOGGED of a kite",
      memory_update: `${readFileSync(memory, "utf8")}- KEPT the kite is red`, // the whole of it
    }),
  );
  await write(place, "bob", "/new");
  await app.agent.idle();
  await app.agent.sessions.remove("webhook:bob");
  for (const [word, source] of [
    ["REMEMBERED", "memory"],
    ["LOGGED", "history"],
    ["KEPT", "memory"],
  ] as const) {
    await write(place, "bob", "hi");
    expect(await does(place, "bob", "recall", { query: word })).toMatch(new RegExp(`${source}:\\d+: [^"]*${word}`));
    const seen = await does(place, "bob", "message", { channel: "webhook", chat_id: "carl", content: word });
    expect(seen).toContain(ASKED);
    expect(await whoseWord(place, ["bob", "eva"])).toEqual(["bob", "eva"]);
    await app.agent.sessions.remove("webhook:bob");
  }
});

test("PE28 PE42 with the owner alone a job tells who was let in, as it did before there were persons; with others it does not", async () => {
  for (const [others, expected] of [
    [{}, "Queued for webhook:zoe"],
    [{ owner: { ids: ["webhook:ada-at-work"] } }, "Queued for webhook:zoe"],
    [{ eva: { ids: ["webhook:eva"] } }, `${REFUSED}, in a chat`],
  ] as const) {
    const place = await running({ operators: ["ada"] }, { config: { people: others }, rules: "off" });
    const { app, model } = place;
    await app.inside.pairing.accept((await app.inside.pairing.offer("webhook", "zoe")) ?? "");
    await write(place, "zoe", "hi");
    const to = { channel: "webhook", chat: "ada" };
    const job = await app.schedule.cron?.add({ message: "remind Zoe", every_seconds: 3600, to });
    model.replies(
      callsTool("message", { channel: "webhook", chat_id: "zoe", content: "your pill" }),
      says("(nothing)"),
    );
    await app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
    await app.agent.idle();
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(expected);
  }
});

test("PE28 with the owner alone no journal and no job says a word of readers", async () => {
  const place = await running({ operators: ["ada"] }, { rules: "off" });
  const { app, model } = place;
  await write(place, "ada", "the safe is green");
  await does(place, "ada", "recall", { query: "safe" });
  await does(place, "ada", "cron", { action: "add", message: "look", every_seconds: 3600 });
  model.replies(callsTool("message", { channel: "webhook", chat_id: "ada", content: "green" }), says("told"));
  const origin = { channel: "web", chat: "1" };
  await app.agent.send("web:1", "tell me on the phone", { origin }).finished;
  await app.agent.idle();
  const lines: string[] = [];
  for (const key of ["webhook:ada", "web:1"])
    for await (const commit of (await app.agent.sessions.find(key))?.history() ?? [])
      lines.push(JSON.stringify(commit));
  expect(lines.join()).toContain("message.posted");
  expect(lines.join()).not.toContain("readers");
  expect(JSON.stringify(await app.schedule.cron?.list())).not.toContain("readers");
});
