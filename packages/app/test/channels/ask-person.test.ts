// One person asks another by way of margay: who is asked sees what would be answered, and nobody learns more than they say.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CallId, SessionId } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = {
  owner: { ids: ["webhook:ada"], name: "Ada" },
  eva: { name: "Eva", ids: ["webhook:eva"] },
  paul: { name: "Paul", ids: ["webhook:paul"] },
};
const SAME = "Paul was asked; if they answer it will arrive here.";

async function house(fact = "- PAUL-FACT the spare key is with Mia"): Promise<Running> {
  const place = await running({}, { rules: "off", config: { people } });
  for (const who of ["ada", "eva", "paul"]) await write(place, who, "hi");
  const memory = join(place.place.home, "spaces/p-paul/memory/MEMORY.md");
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, `${fact}\n`);
  return place;
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<readonly string[]> {
  const before = place.model.requests.length;
  await postSigned(place.port, { id: `k${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return place.model.requests.slice(before).map(({ body }) => JSON.stringify(body));
}

function texts({ receiver }: Running, chat: string): readonly string[] {
  return receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body: { text } }) => String(text));
}

function codeIn(place: Running, chat: string): string {
  return (
    /\/(?:allow|deny) ([2-9A-Z]{4})/.exec(texts(place, chat).findLast((text) => text.includes("/deny ")) ?? "")?.[1] ??
    ""
  );
}

const ASKS = callsTool("ask_person", { person: "Paul", question: "where is the spare key?" });
const LOOKS = callsTool("recall", { query: "key" });

/** Eva asks; what is looked up in Paul's room answers so. @returns the requests. */
async function asks(place: Running, ...draft: readonly ReturnType<typeof says>[]): Promise<readonly string[]> {
  place.model.replies(ASKS, ...draft, says("I asked him"));
  return write(place, "eva", "ask Paul where the spare key is");
}

test("PE43 PE44 ask_person: Paul sees the question, the draft and its sources; his yes has exactly that sent, and Eva's model never held more", async () => {
  const place = await house();
  const requests = await asks(place, LOOKS, says("The spare key is with Mia."));
  const [, first, second, last] = requests;
  // In his room, with two tools that read, and her words as data.
  expect(first).toContain("where is the spare key?");
  expect([...(first ?? "").matchAll(/"name":"(\w+)","description"/g)].map(([, name]) => name)).toEqual([
    "read_file",
    "recall",
  ]);
  expect(second).toContain("PAUL-FACT");
  expect(last).toContain(SAME);
  expect(last).not.toContain("PAUL-FACT");
  const question = texts(place, "paul").at(-1) ?? "";
  for (const part of [
    "Eva asks you",
    "where is the spare key?",
    "Paul answers: The spare key is with Mia.",
    "memory:1",
  ])
    expect(question).toContain(part);
  expect(texts(place, "eva").join()).not.toContain("Mia");
  await write(place, "paul", `/allow ${codeIn(place, "paul")}`);
  expect(texts(place, "eva").at(-1)).toBe("Paul answers: The spare key is with Mia.");
  expect((await place.app.agent.sessions.find("webhook:eva"))?.state.label).toMatchObject({
    integrity: "untrusted",
    readers: [{ to: ["eva", "paul"], by: "paul" }],
  });
});

test("PE44 his no, his silence, and nothing found: what Eva's model and chat get is the same to the byte", async () => {
  const seen: string[] = [];
  for (const [draft, answer] of [
    [[LOOKS, says("The spare key is with Mia.")], "deny"],
    [[LOOKS, says("The spare key is with Mia.")], undefined],
    [[LOOKS, says("(nothing)")], undefined],
    [[says("(nothing)")], "deny"],
    [[callsTool("read_file", { path: "nowhere.txt" }), LOOKS, LOOKS, LOOKS, LOOKS], undefined],
  ] as const) {
    const place = await house();
    const requests = await asks(place, ...draft);
    if (answer !== undefined) await write(place, "paul", `/${answer} ${codeIn(place, "paul")}`);
    const next = await write(place, "eva", "and?");
    const own = [requests[0], requests.at(-1), ...next].join("\n");
    seen.push(
      `${own} ${texts(place, "eva").join()}`
        .replaceAll(/time=[^,]+/g, "")
        .replaceAll(/margay-cli-\w+/g, "")
        .replaceAll(/"(?:tool_call_)?id":"[^"]+"/g, ""),
    );
    expect(texts(place, "paul").at(-1 - (answer === undefined ? 0 : 1))).toContain("Eva asks you");
  }
  expect(new Set(seen).size).toBe(1);
});

test("PE43 instead of the draft he can say something himself, also where nothing was found; there a yes alone sends nothing", async () => {
  for (const [draft, afterYes] of [
    ["The spare key is with Mia.", ["Paul answers: The spare key is with Mia."]],
    ["(nothing)", []],
  ] as const) {
    const place = await house();
    const answers = (): readonly string[] => texts(place, "eva").filter((text) => text.includes("answers"));
    await asks(place, says(draft));
    await write(place, "paul", `/allow ${codeIn(place, "paul")}`);
    expect(answers()).toEqual(afterYes);
    await write(place, "eva", "/new"); // what he said is a stranger's text, which has nobody asked
    const other = callsTool("ask_person", { person: "Paul", question: "when?" });
    place.model.replies(other, says(draft), says("I asked him"));
    await write(place, "eva", "ask Paul when");
    await write(place, "paul", `/allow ${codeIn(place, "paul")} Ask me tonight,  please`);
    expect(answers()).toEqual([...afterYes, "Paul answers: Ask me tonight,  please"]);
  }
});

test("PE7 who asks pays; PE94 the same call, made again after a crash, asks once, and a yes after a restart is sent", async () => {
  let place = await house();
  const session = await place.app.agent.sessions.find("webhook:eva");
  const spent = async (chat: string): Promise<number> =>
    (await place.app.agent.sessions.find(`webhook:${chat}`))?.state.usage.input ?? 0;
  const before = { eva: await spent("eva"), paul: await spent("paul") };
  place.model.replies(LOOKS, says("The spare key is with Mia."));
  const request = { person: "Paul", question: "where is the spare key?", signal: AbortSignal.timeout(30_000) };
  const call = { session: session?.state.id ?? ("" as SessionId), call: "c1" as CallId };
  const asked = place.model.requests.length;
  for (const _attempt of [1, 2]) expect(await place.app.agent.askPerson({ ...call, ...request })).toBe("Paul");
  expect(place.model.requests).toHaveLength(asked + 2);
  expect(await spent("eva")).toBeGreaterThan(before.eva);
  expect(await spent("paul")).toBe(before.paul);
  const theirs = await place.app.agent.sessions.find("webhook:paul");
  expect(theirs?.state.releases).toHaveLength(1);
  await place.app.agent.idle();
  place = await startedAgain(place);
  await write(place, "paul", `/allow ${codeIn(place, "paul")}`);
  expect(texts(place, "eva").at(-1)).toContain("with Mia");
});

test("PE23 PE42 the question orders nothing: what would act in Paul's room is not there, and his files stay as they are", async () => {
  const place = await house();
  const requests = await asks(
    place,
    callsTool("write_file", { path: "got.txt", content: "x" }),
    callsTool("read_file", { path: "../../config.json" }),
    says("(nothing)"),
  );
  expect(readFileSync(join(place.place.home, "spaces/p-paul/memory/MEMORY.md"), "utf8")).toContain("PAUL-FACT");
  expect(existsSync(join(place.place.home, "spaces/p-paul/got.txt"))).toBe(false);
  expect(requests.join()).not.toContain("webhook-secret");
});

test("PE46 what was told to Paul by Eva is asked of her too before Ada hears it from him", async () => {
  const place = await house();
  place.model.replies(
    callsTool("message", { channel: "webhook", chat_id: "paul", content: "EVA-GIFT a kite" }),
    says("ok"),
  );
  await write(place, "eva", "tell Paul");
  place.model.replies(
    callsTool("ask_person", { person: "paul", question: "what is the gift?" }),
    callsTool("recall", { query: "kite" }),
    says("A kite."),
    says("I asked"),
  );
  await write(place, "ada", "ask Paul about the gift");
  expect(texts(place, "paul").at(-1)).toContain("After you Eva is asked too");
  await write(place, "paul", `/allow ${codeIn(place, "paul")}`);
  expect(texts(place, "ada").join()).not.toContain("kite");
  await write(place, "eva", `/allow ${codeIn(place, "eva")}`);
  expect(texts(place, "ada").at(-1)).toBe("Paul answers: A kite.");
});

test("PE28 PE26 with the owner alone there is no such tool, nor where a group or a guest reads; a job asks nobody", async () => {
  const alone = await running({ operators: ["ada"] }, { rules: "off" });
  expect((await write(alone, "ada", "hi")).join()).not.toContain("ask_person");
  const place = await running(
    { allowFrom: ["ann"], chats: { trip: { groups: "all" } } },
    { rules: "off", config: { people } },
  );
  for (const who of ["ada", "paul"]) expect((await write(place, who, "hi")).join()).toContain("ask_person");
  expect((await write(place, "ann", "hi")).join()).not.toContain("ask_person");
  await postSigned(place.port, { id: "g1", chat: "trip", sender: "eva", text: "hi", group: true });
  await place.app.agent.idle();
  expect(JSON.stringify(place.model.requests.at(-1)?.body)).not.toContain("ask_person");
  const job = await place.app.schedule.cron?.add({
    message: "ask",
    every_seconds: 3600,
    to: { channel: "webhook", chat: "ada" },
  });
  place.model.replies(ASKS, says("(nothing)"));
  await place.app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
  await place.app.agent.idle();
  expect(JSON.stringify(place.model.requests.at(-1)?.body)).toContain("its owner must do it");
  // Nobody of that name, oneself, and who never wrote.
  for (const person of ["Zoe", "Ada", "Eva"]) {
    place.model.replies(callsTool("ask_person", { person, question: "?" }), says("ok"));
    expect((await write(place, "ada", "ask")).join()).toContain("can be asked");
  }
});

test("PE43 the same question again while it waits is asked once: nothing is looked up for it, and no other draft comes", async () => {
  const place = await house();
  await asks(place, LOOKS, says("The spare key is with Mia."));
  const before = texts(place, "paul").length;
  place.model.replies(ASKS, says("I asked him already"));
  const requests = await write(place, "eva", "ask him again");
  expect(requests).toHaveLength(2); // hers alone
  expect(requests[1]).toContain(SAME);
  expect(texts(place, "paul")).toHaveLength(before);
  await write(place, "paul", `/deny ${codeIn(place, "paul")}`);
  await asks(place, LOOKS, says("It is with Mia."));
  expect(texts(place, "paul").at(-1)).toContain("It is with Mia.");
});
