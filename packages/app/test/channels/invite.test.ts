// PE5: somebody who has no account here yet is asked in by a code that the owner made.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { openFileDocs, systemClock } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openInvitations } from "../../src/features/people/invitations.ts";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = { eva: { name: "Eva" }, bob: { role: "operator", ids: ["webhook:bob"] } };

async function house(clock?: Clock): Promise<Running> {
  return running(
    { operators: ["ada"], allowFrom: ["ann"], groups: "all", chats: { club: {} } },
    { config: { people }, rules: "off", ...(clock !== undefined && { clock }) },
  );
}

async function codeFor({ place }: Running, person = "eva", clock: Clock = systemClock()): Promise<string> {
  return (await openInvitations(openFileDocs(place.home), clock).make(person)).code;
}

let serial = 0;
/** One message in a private chat. @returns what came back to whom. */
async function write(
  { app, port, receiver }: Running,
  sender: string,
  text: string,
  { id = `i${++serial}`, late = 0, ...more }: { id?: string; late?: number; [field: string]: unknown } = {},
): Promise<Readonly<Record<string, string>>> {
  const before = receiver.received.length;
  const { body } = await postSigned(port, { id, chat: sender, sender, text, private: true, ...more }, { late });
  await app.agent.idle();
  const posts = receiver.received.slice(before).map(({ body: sent }) => [String(sent["chat"]), String(sent["text"])]);
  return { ...(body["answer"] !== undefined && { [sender]: String(body["answer"]) }), ...Object.fromEntries(posts) };
}

/** By the file, as the next start reads it. */
function idsOf({ place }: Running, person = "eva"): unknown {
  const config = JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as {
    people: Record<string, { ids?: unknown }>;
  };
  return config.people[person]?.ids;
}

/** Names of files in the state directory that hold the text. */
function filesWith({ place }: Running, text: string): readonly string[] {
  return readdirSync(place.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "utf8").includes(text));
}

const WRONG = "There is no such code, it was used, or its day is over.";
const WELCOME = "Welcome, eva: I know this account from now on. Just write what you need.";

test.for([
  ["the code alone", "77", (code: string) => code],
  ["what an app sends that followed the link", "77", (code: string) => `/start ${code}`],
  ["/link, in small letters", "77", (code: string) => `/link ${code.toLowerCase()}`],
  ["a guest who says more", "ann", (code: string) => `Hello\n ${code} \nit's me`],
] as const)("PE5 %s makes them who was invited, once; both are told, and the code is kept nowhere", async (row) => {
  const [, sender, textOf] = row;
  let place = await house();
  place.model.replies(says("hello Ada"), says("hello Eva"));
  await write(place, "ada", "hi"); // the owner has a chat
  const code = await codeFor(place);
  place = await startedAgain(place); // a day is long
  const said = await write(place, sender, textOf(code), { id: "invited" });
  expect(said).toEqual({
    [sender]: WELCOME,
    ada: expect.stringContaining(`webhook:${sender} has sent the code of the invitation for eva`),
  });
  expect(said["ada"]).toContain(`margay people unlink eva webhook:${sender}`);
  expect(idsOf(place)).toEqual([`webhook:${sender}`]);
  // The same message again is answered, and the code of somebody else is none.
  expect(await write(place, sender, textOf(code), { id: "invited" })).toEqual({ [sender]: WELCOME });
  expect((await write(place, "78", `/start ${code}`))["78"]).toContain(WRONG);
  expect(idsOf(place)).toEqual([`webhook:${sender}`]);
  await write(place, sender, "hi");
  expect(place.model.requests).toHaveLength(2);
  expect(JSON.stringify(place.model.requests.at(-1)?.body)).toContain("The user's name is Eva.");
  expect(JSON.stringify(place.model.requests)).not.toContain(code);
  await place.close();
  expect(filesWith(place, code)).toEqual([]);
  expect(filesWith(place, code.toLowerCase())).toEqual([]);
});

test("PE5 an invitation holds a day, for one, and the newest of a person", async () => {
  let now = Date.now();
  const clock: Clock = { ...systemClock(), now: () => now };
  const place = await house(clock);
  const first = await codeFor(place, "eva", clock);
  const second = await codeFor(place, "eva", clock);
  expect((await write(place, "77", first))["77"]).toContain(WRONG);
  now += 86_400_000;
  expect((await write(place, "77", second, { late: -86_400 }))["77"]).not.toContain("Welcome");
  const third = await codeFor(place, "eva", clock);
  now += 86_399_000;
  expect((await write(place, "77", third, { late: -172_799 }))["77"]).toBe(WELCOME);
});

test("PE5 five wrong codes void what is open, whoever sends them", async () => {
  const place = await house();
  const code = await codeFor(place);
  for (const sender of ["71", "72", "ann", "74"])
    expect((await write(place, sender, "ABCDEFGH"))[sender]).toContain(WRONG);
  expect((await write(place, "75", "/start abcdefgh"))["75"]).toContain(WRONG);
  expect((await write(place, "77", code))["77"]).toContain("I don't know you yet");
  expect(idsOf(place)).toBeUndefined();
  await place.app.audit.flush();
  const events = await place.app.audit.list({ kind: "event" });
  expect(events).toContainEqual(
    expect.objectContaining({ name: "link.refused", data: { channel: "webhook", sender: "75", why: "tries" } }),
  );
});

test("PE5 four wrong codes leave it, and words of a guest are no code while nobody is invited", async () => {
  const place = await house();
  place.model.replies(says("fine"));
  expect((await write(place, "ann", "ABCDEFGH"))["ann"]).toBe("fine");
  const code = await codeFor(place);
  for (let i = 0; i < 4; i++) await write(place, "71", "ABCDEFGH");
  expect((await write(place, "77", code))["77"]).toBe(WELCOME);
});

test("PE5 an invitation makes no operator, nobody who is somebody, nothing in a group, and nothing twice", async () => {
  let place = await house();
  // Made for a member who is an operator by now.
  const bobs = await codeFor(place, "bob");
  expect((await write(place, "77", bobs))["77"]).toContain(WRONG);
  expect(idsOf(place, "bob")).toEqual(["webhook:bob"]);
  const code = await codeFor(place);
  expect((await write(place, "bob", code))["bob"]).toBe(
    "webhook:bob is bob here already, and an account belongs to one person.",
  );
  await write(place, "77", code, { chat: "club", private: false, group: true });
  await write(place, "77", code, { chat: "elsewhere", private: false });
  expect(idsOf(place)).toBeUndefined();
  const other = await codeFor(place);
  expect((await write(place, "77", other))["77"]).toBe(WELCOME);
  // Taken back by the owner, it stays taken back.
  const { code: exit } = await place.place.run(["people", "unlink", "eva", "webhook:77"]);
  expect(exit).toBe(0);
  place = await startedAgain(place);
  expect((await write(place, "77", other))["77"]).not.toContain("Welcome");
  expect(idsOf(place)).toEqual([]);
});

test("PE5 a file that cannot be written is told to both, and the code still works afterwards", async () => {
  const place = await house();
  place.model.replies(says("hello Ada"));
  await write(place, "ada", "hi");
  const code = await codeFor(place);
  const file = join(place.place.home, "config.json");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, "{ no JSON");
  const said = await write(place, "77", code);
  expect(said["77"]).toContain("webhook:77 could not be linked. Send the code again in a moment.");
  expect(said["ada"]).toContain("webhook:77 could not be linked.");
  writeFileSync(file, before);
  expect((await write(place, "78", code))["78"]).toContain(WRONG);
  expect((await write(place, "77", code))["77"]).toBe(WELCOME);
});
