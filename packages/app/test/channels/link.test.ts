// PE3: somebody who is known here adds an account of theirs, by a code that one chat gives and the other sends.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = { eva: { name: "Eva", ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"], role: "operator" } };

async function house(clock?: Clock): Promise<Running> {
  return running(
    { operators: ["ada"], allowFrom: ["ann"], groups: "all", chats: { club: {} } },
    { config: { people }, files: { "USER.md": "CANARY-USER" }, ...(clock !== undefined && { clock }) },
  );
}

let serial = 0;
/** One message in a private chat. @returns what came back to whom, as answers of the webhook and as posts. */
async function write(
  { app, port, receiver }: Running,
  sender: string,
  text: string,
  { id = `m${++serial}`, late = 0, ...more }: { id?: string; late?: number; [field: string]: unknown } = {},
): Promise<Readonly<Record<string, string>>> {
  const before = receiver.received.length;
  const message = { id, chat: sender, sender, text, private: true, ...more };
  const { body } = await postSigned(port, message, { late });
  await app.agent.idle();
  const posts = receiver.received.slice(before).map(({ body: sent }) => [String(sent["chat"]), String(sent["text"])]);
  return { ...(body["answer"] !== undefined && { [sender]: String(body["answer"]) }), ...Object.fromEntries(posts) };
}

async function codeOf(place: Running, sender: string): Promise<string> {
  const said = await write(place, sender, "/link");
  return /`\/link ([A-Z2-9]{8})`/.exec(said[sender] ?? "")?.[1] ?? `no code: ${said[sender]}`;
}

/** The last that was said there. */
async function saidIn({ app }: Running, key: string): Promise<string> {
  const texts: string[] = [];
  const session = await app.agent.sessions.find(key);
  if (session !== undefined)
    for await (const { records } of session.history())
      for (const record of records) if (record.type === "reply.queued") texts.push(JSON.stringify(record.parts));
  return texts.at(-1) ?? "";
}

/** By the file, as the next start reads it. */
function listed({ place }: Running): { readonly eva: unknown; readonly bob: unknown; readonly owner: unknown } {
  const config = JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as {
    people: Record<string, { ids: unknown }>;
    channels: { webhook: { operators: unknown } };
  };
  return { eva: config.people["eva"]?.ids, bob: config.people["bob"]?.ids, owner: config.channels.webhook.operators };
}

const NOBODY_NEW = { eva: ["webhook:eva"], bob: ["webhook:bob"], owner: ["ada"] };
const WRONG = "There is no such code, or its 10 minutes are over.";

test.for([["a stranger", "77"] as const, ["a guest", "ann"] as const])(
  "PE3 %s who sends the code of a member is that member, at once and over a restart; both chats are told",
  async ([, other]) => {
    let place = await house();
    const code = await codeOf(place, "eva");
    const said = await write(place, other, `/link ${code.toLowerCase()}`, { id: "linking" });
    expect(said["eva"]).toContain(`webhook:${other} has sent the code that I gave here, and is you from now on.`);
    expect(said["eva"]).toContain(`margay people unlink eva webhook:${other}`);
    expect(said[other]).toBe(`webhook:${other} is eva from now on.`);
    expect((await write(place, other, "/whoami"))[other]).toContain("is eva, a member, by `people.eva.ids`");
    expect(place.model.requests).toHaveLength(0);
    expect(listed(place)).toEqual({ ...NOBODY_NEW, eva: ["webhook:eva", `webhook:${other}`] });
    // Once: the same message again, the same code from somebody else.
    expect(await write(place, other, `/link ${code}`, { id: "linking" })).toEqual({});
    expect((await write(place, "78", `/link ${code}`))["78"]).not.toContain("eva");
    place = await startedAgain(place);
    expect((await write(place, other, `/link ${code}`))[other]).toContain(WRONG);
    expect(listed(place)).toEqual({ ...NOBODY_NEW, eva: ["webhook:eva", `webhook:${other}`] });
    place.model.replies(says("hello"));
    await write(place, other, "hi");
    expect(JSON.stringify(place.model.requests.at(-1)?.body)).toContain("The user's name is Eva.");
    expect(JSON.stringify(place.model.requests.at(-1)?.body)).not.toContain("CANARY-USER");
  },
);

test.for([
  ["the owner", "ada", "owner", ["ada", "77"]],
  ["another operator", "bob", "bob", ["webhook:bob", "webhook:77"]],
] as const)("PE3 for %s the chat that gave the code must say yes too", async ([, first, person, ids]) => {
  const place = await house();
  const code = await codeOf(place, first);
  const asked = await write(place, "77", `/link ${code}`);
  expect(asked[first]).toContain("webhook:77 has sent the code that I gave here. If that is your account");
  expect(asked["77"]).toBe("This account is webhook:77. Now say yes in the chat that gave the code.");
  // It is taken: nobody else can be the one who is asked about, and the question is put once.
  expect(await write(place, "77", `/link ${code}`)).toEqual({ "77": asked["77"] });
  expect((await write(place, "78", `/link ${code}`))["78"]).toContain(WRONG);
  expect((await write(place, "77", "/link yes"))["77"]).not.toContain("from now on"); // nor can who is to be linked
  for (const other of ["eva", first === "ada" ? "bob" : "ada"])
    expect((await write(place, other, "/link yes"))[other]).toContain("Nothing waits for that here.");
  expect((await write(place, first, "/link yes", { chat: "elsewhere" }))["elsewhere"]).toContain("Nothing waits");
  expect(listed(place)).toEqual(NOBODY_NEW);
  const done = await write(place, first, "/link yes");
  expect(done).toEqual({
    [first]: `webhook:77 is ${person} from now on.`,
    "77": `webhook:77 is ${person} from now on.`,
  });
  expect(listed(place)).toEqual({ ...NOBODY_NEW, [person]: ids });
  expect((await write(place, "77", "/whoami"))["77"]).toContain(person === "owner" ? "is the owner" : "is bob");
  expect((await write(place, first, "/link yes"))[first]).toContain("Nothing waits for that here.");
});

test("PE3 the owner at the machine links their phone: no file is edited by hand, and no makes nothing of it", async () => {
  const place = await house();
  const origin = { channel: "web", chat: "one" };
  const from = { id: "user", kind: "person" } as const;
  const type = async (text: string): Promise<string> => {
    await place.app.agent.bus.accept({ key: `t${++serial}`, origin, from, parts: [{ type: "text", text }] });
    return saidIn(place, "web:one");
  };
  const code = /`\/link ([A-Z2-9]{8})`/.exec(await type("/link"))?.[1] ?? "";
  await write(place, "77", `/link ${code}`);
  expect(await saidIn(place, "web:one")).toContain("webhook:77 has sent the code that I gave here.");
  expect(await type("/link no")).toContain("webhook:77 is nothing more than before, and the code is void.");
  expect(listed(place)).toEqual(NOBODY_NEW);
  expect((await write(place, "77", `/link ${code}`))["77"]).toContain("I don't know you yet");
  const next = /`\/link ([A-Z2-9]{8})`/.exec(await type("/link"))?.[1] ?? "";
  await write(place, "77", `/link ${next}`);
  expect(await type("/link yes")).toContain("webhook:77 is owner from now on.");
  expect(listed(place)).toEqual({ ...NOBODY_NEW, owner: ["ada", "77"] });
  place.model.replies(says("hello Ada"));
  await write(place, "77", "hi");
  expect(JSON.stringify(place.model.requests.at(-1)?.body)).toContain("CANARY-USER");
});

test("PE3 no code is given to a guest, in a group, or where others may read along", async () => {
  const place = await house();
  expect((await write(place, "ann", "/link"))["ann"]).toBe("Only an operator can do that.");
  expect((await write(place, "ann", "/help"))["ann"]).not.toContain("/link");
  expect((await write(place, "eva", "/help"))["eva"]).toContain("/link [code]");
  const alone = "Only in a private chat with me, where nobody else reads.";
  await write(place, "ann", "/whoami", { chat: "ann2", private: false });
  for (const sender of ["eva", "ada"]) {
    const group = { chat: "club", private: false, group: true };
    expect((await write(place, sender, "/link", group))["club"]).toBe(alone);
    expect((await write(place, sender, "/link", { chat: `${sender}2`, private: false }))[`${sender}2`]).toBe(alone);
  }
  // The owner, from the page, in the guest's chat.
  await place.app.agent.bus.accept({
    key: "page",
    origin: { channel: "web", chat: "one" },
    from: { id: "user", kind: "person" },
    parts: [{ type: "text", text: "/link" }],
    sessionKey: "webhook:ann2",
  });
  expect(await saidIn(place, "webhook:ann2")).toContain(alone);
  const code = await codeOf(place, "eva");
  expect(
    (await write(place, "77", `/link ${code}`, { chat: "club", private: false, group: true }))["club"],
  ).toBeUndefined();
  expect((await write(place, "ann", `/link ${code}`, { chat: "ann2", private: false }))["ann2"]).toBe(alone);
  expect(listed(place)).toEqual(NOBODY_NEW);
  expect(place.model.requests).toHaveLength(0);
});

test("PE3 after five wrong codes every open one is void, and a stranger is answered as before; ten minutes end one too", async () => {
  let ahead = 0;
  const clock = { ...systemClock(), now: () => Date.now() + ahead };
  const place = await house(clock);
  const first = await codeOf(place, "eva");
  expect((await write(place, "ann", "/link please"))["ann"]).toContain(WRONG); // no code: no try
  for (const [index, sender] of ["71", "72", "73", "ann", "75"].entries())
    expect((await write(place, sender, `/link AAAAAAA${index + 2}`))[sender]).toContain(WRONG);
  expect((await write(place, "77", `/link ${first}`))["77"]).toContain("I don't know you yet");
  const second = await codeOf(place, "eva");
  ahead = 601_000;
  expect((await write(place, "ann", `/link ${second}`, { late: -601 }))["ann"]).toContain(WRONG);
  expect(listed(place)).toEqual(NOBODY_NEW);
  const refused = await place.app.audit.list({ kind: "event" });
  expect(JSON.stringify(refused)).toContain('"why":"tries"');
});

test("PE1 PE3 PE6 who is somebody else, or whose giver is nobody any more, is not linked", async () => {
  const place = await house();
  const { app } = place;
  expect((await write(place, "bob", `/link ${await codeOf(place, "eva")}`))["bob"]).toContain(
    "webhook:bob is somebody already, and an account belongs to one person.",
  );
  const code = await codeOf(place, "ada");
  await write(place, "77", `/link ${code}`);
  const { config } = app.loaded;
  const webhook = config.channelsById["webhook"];
  if (webhook === undefined) throw new Error("no webhook");
  const operators: readonly string[] = [];
  app.configure({ ...app.loaded, config: { ...config, channelsById: { webhook: { ...webhook, operators } } } });
  await write(place, "ada", "/link yes");
  const eva = await codeOf(place, "eva");
  app.configure({ ...app.loaded, config: { ...config, people: {} } });
  expect((await write(place, "78", `/link ${eva}`))["78"]).toContain(WRONG);
  expect(listed(place)).toEqual(NOBODY_NEW);
});

test("PE3 a process that ends before the end links nobody; a file that cannot be written is told to both", async () => {
  let place = await house();
  const first = await codeOf(place, "eva");
  place = await startedAgain(place);
  expect((await write(place, "77", `/link ${first}`))["77"]).toContain("I don't know you yet");
  await write(place, "ann", `/link ${await codeOf(place, "ada")}`);
  place = await startedAgain(place);
  expect((await write(place, "ada", "/link yes"))["ada"]).toContain("Nothing waits for that here.");
  expect(listed(place)).toEqual(NOBODY_NEW);
  const code = await codeOf(place, "eva");
  const file = join(place.place.home, "config.json");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, `${before} broken`);
  const said = await write(place, "ann", `/link ${code}`);
  writeFileSync(file, before);
  for (const chat of ["eva", "ann"])
    expect(said[chat]).toBe(
      "webhook:ann could not be linked, and the code is void. The owner can: `margay people link eva webhook:ann`",
    );
  expect((await write(place, "ann", "/whoami"))["ann"]).toContain("is a guest");
});
