// What one person was told by another and wrote into a file of theirs: read again in any context it is still the other's.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const SECRET = "the EVA-GIFT is a red kite";
const people = {
  owner: { ids: ["webhook:ada"] },
  eva: { name: "Eva", ids: ["webhook:eva"] },
  bob: { ids: ["webhook:bob"] },
  carl: { ids: ["webhook:carl"] },
};
const ASKED = "Not sent; its owner was asked.";

/** Eva has had somebody told of the gift, and they have had it written down, in this file. */
async function written(who: string, path = "notes/gift.md"): Promise<Running> {
  const place = await running({}, { rules: "off", config: { people } });
  for (const each of ["ada", "eva", "bob", "carl"]) await write(place, each, "hi");
  await does(place, "eva", "message", { channel: "webhook", chat_id: who, content: SECRET });
  await does(place, who, "write_file", { path, content: `${SECRET}\n` });
  await write(place, who, "/new");
  return place;
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<string> {
  const before = place.model.requests.length;
  await postSigned(place.port, { id: `f${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return JSON.stringify(place.model.requests.slice(before).map(({ body }) => body));
}

async function does(place: Running, sender: string, tool: string, input: object): Promise<string> {
  place.model.replies(callsTool(tool, { ...input }), says("did it"));
  return write(place, sender, `use ${tool}`);
}

function told({ receiver }: Running, chat: string): string {
  return JSON.stringify(receiver.received.filter(({ body }) => body["chat"] === chat));
}

/** Whose it is what the conversation holds. */
async function owners({ app }: Running, chat: string): Promise<readonly string[]> {
  const session = await app.agent.sessions.find(`webhook:${chat}`);
  return (session?.state.label.readers ?? []).map(({ by }) => by);
}

async function tells(place: Running, who: string, content: string): Promise<string> {
  return does(place, who, "message", { channel: "webhook", chat_id: "carl", content });
}

test.for([
  ["read_file", { path: "notes/gift.md" }],
  ["search_files", { pattern: "kite" }],
  ["edit_file", { path: "notes/gift.md", old_text: "red", new_text: "blue" }],
] as const)(
  "PE46 PE40 what Bob wrote down of it he tells nobody without their word, when he finds it by %s in another context",
  async ([tool, input]) => {
    let place = await written("bob");
    for (const _again of [1, 2]) {
      await does(place, "bob", tool, input);
      expect(await owners(place, "bob")).toEqual(["eva"]);
      expect(await tells(place, "bob", `psst: ${SECRET}`)).toContain(ASKED);
      expect(told(place, "carl")).not.toContain("EVA-GIFT");
      place = await startedAgain(place);
      await write(place, "bob", "/new");
      if (tool === "edit_file") break; // it is blue now
    }
    // His own words go on.
    expect(await tells(place, "bob", "dinner at seven")).toContain("Queued");
  },
);

test("PE46 it stays so in a copy, and after a change; written anew without it the file is his own", async () => {
  const place = await written("bob");
  await does(place, "bob", "edit_file", { path: "notes/gift.md", old_text: "red", new_text: "red or blue" });
  // Somebody at the machine copies it.
  const folder = join(place.place.home, "spaces/p-bob/notes");
  writeFileSync(join(folder, "copy.md"), readFileSync(join(folder, "gift.md")));
  for (const path of ["notes/gift.md", "notes/copy.md"]) {
    await write(place, "bob", "/new");
    expect(await does(place, "bob", "read_file", { path })).toContain("or blue");
    expect(await owners(place, "bob"), path).toEqual(["eva"]);
  }
  await write(place, "bob", "/new");
  await does(place, "bob", "write_file", { path: "notes/gift.md", content: "milk, eggs, bread\n" });
  await does(place, "bob", "read_file", { path: "notes/gift.md" });
  expect(await owners(place, "bob")).toEqual([]);
  expect(await tells(place, "bob", "milk")).toContain("Queued");
});

test.for([
  ["read_file", { path: "memory/MEMORY.md" }],
  ["search_files", { pattern: "REMEMBERED" }],
] as const)("PE46 a line of the memory that says whose it is says so to %s too", async ([tool, input]) => {
  const rules = [{ tool: "remember", action: "allow" }];
  const place = await running({}, { rules: "off", config: { people, policy: { rules } } });
  for (const each of ["eva", "bob", "carl"]) await write(place, each, "hi");
  await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: SECRET });
  await does(place, "bob", "remember", { text: "REMEMBERED the kite is red" });
  await write(place, "bob", "/new");
  expect(await does(place, "bob", tool, input)).toContain("the kite is red");
  expect(await owners(place, "bob")).toEqual(["eva"]);
  expect(await tells(place, "bob", "REMEMBERED")).toContain(ASKED);
});

test("PE46 PE41 in another context Bob sends nobody the file itself, nor his memory, nor his own beside them", async () => {
  const rules = [{ tool: "remember", action: "allow" }];
  const place = await running({}, { rules: "off", config: { people, policy: { rules } } });
  for (const each of ["eva", "bob", "carl"]) await write(place, each, "hi");
  await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: SECRET });
  for (const path of ["gift.md", "list.md"]) await does(place, "bob", "write_file", { path, content: SECRET });
  await does(place, "bob", "remember", { text: SECRET });
  const sends = async (...media: readonly string[]): Promise<string> => {
    await write(place, "bob", "/new");
    return does(place, "bob", "message", { channel: "webhook", chat_id: "carl", content: "look", media });
  };
  await write(place, "bob", "/new");
  await does(place, "bob", "write_file", { path: "list.md", content: "milk, eggs, bread" });
  for (const path of ["gift.md", "memory/MEMORY.md"])
    expect(await sends("list.md", path), path).toContain("its owner must do it");
  expect(told(place, "carl")).not.toContain("look");
  // What it was before it was written anew does not stick to it.
  expect(await sends("list.md")).toContain("Queued");
});

test("PE46 /trust of the file lifts nothing of it, in the owner's workspace as little", async () => {
  const place = await written("ada", "gift.md");
  await write(place, "ada", "/trust gift.md");
  await does(place, "ada", "read_file", { path: "gift.md" });
  expect(await owners(place, "ada")).toEqual(["eva"]);
  expect(await tells(place, "ada", SECRET)).toContain(ASKED);
  expect(told(place, "carl")).not.toContain("EVA-GIFT");
});

test("PE46 PE41 into the folder of an agent that others work with too nothing is written that is not for them", async () => {
  const agents = { cook: { workspace: "own", tools: ["*"], for: ["household"] } };
  const bindings = [{ channel: "webhook", agent: "cook" }];
  const place = await running({}, { rules: "off", config: { people, agents, bindings } });
  for (const each of ["eva", "bob", "carl"]) await write(place, each, "hi");
  await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: SECRET });
  for (const path of ["gift.md", "notes/gift.md"])
    expect(await does(place, "bob", "write_file", { path, content: SECRET })).toContain("belongs to eva");
  await does(place, "carl", "search_files", { pattern: "kite" });
  expect(await does(place, "carl", "read_file", { path: "gift.md" })).not.toContain("EVA-GIFT");
  // His own things go there, because he asks.
  await write(place, "bob", "/new");
  await does(place, "bob", "write_file", { path: "list.md", content: "BOB-LIST milk" });
  expect(await does(place, "carl", "read_file", { path: "list.md" })).toContain("BOB-LIST milk");
});

test("PE46 what is found of it and too long for the prompt is not laid into a file for whoever comes", async () => {
  const place = await running({}, { rules: "off", config: { people, tools: { maxResultChars: 1000 } } });
  const results = join(place.place.home, "spaces/p-bob/.margay/results");
  for (const each of ["eva", "bob"]) await write(place, each, "hi");
  for (let n = 0; n < 4; n += 1)
    await does(place, "eva", "message", { channel: "webhook", chat_id: "bob", content: `kite ${"x".repeat(600)}${n}` });
  await write(place, "bob", "/new");
  expect(await does(place, "bob", "recall", { query: "kite" })).toContain("could not be stored");
  expect(await owners(place, "bob")).toEqual(["eva"]);
  expect(existsSync(results)).toBe(false);
  // What is his own is.
  await write(place, "bob", "/new");
  await write(place, "bob", `my lamp ${"y".repeat(1500)}`);
  await write(place, "bob", `that lamp ${"z".repeat(1500)}`);
  await write(place, "bob", "/new");
  await does(place, "bob", "recall", { query: "lamp" });
  expect(existsSync(results)).toBe(true);
});

test("PE28 with the owner alone no file of the state says a word of readers", async () => {
  const place = await running({ operators: ["ada"] }, { rules: "off" });
  await does(place, "ada", "write_file", { path: "a.md", content: "the safe is green, says nobody\n" });
  await does(place, "ada", "read_file", { path: "a.md" });
  expect(() => readFileSync(join(place.place.home, "file-readers.jsonl"))).toThrow("ENOENT");
});
