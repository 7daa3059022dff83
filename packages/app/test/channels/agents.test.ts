// Agents: another manner, model and less of the tools, by the place and the person; never more than the conversation has.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject, JournalRecord } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, type RunningOptions, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = { eva: { name: "Eva", ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"] } };
const kitchen = { persona: "gentle", tools: ["read_*", "write_file", "web_*"], for: ["household"] };

async function house(config: JsonObject, options: RunningOptions = {}): Promise<Running> {
  return running(
    { operators: ["ada"], allowFrom: ["ann"], chats: { trip: { groups: "named" } } },
    { ...options, config: { persona: { name: "Mia" }, people, ...config }, files: { "notes.txt": "OWNER-NOTES" } },
  );
}

interface Body {
  readonly model: string;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly Json[];
}

let serial = 0;
/** One message in private, and what it asked of the model. */
async function write(place: Running, sender: string, text: string, more: object = {}): Promise<readonly Body[]> {
  const before = place.model.requests.length;
  const message = { id: `a${++serial}`, chat: sender, sender, text, private: !("chat" in more), ...more };
  expect((await postSigned(place.port, message)).status).toBe(202);
  await place.app.agent.idle();
  return place.model.requests.slice(before).map(({ body }) => body as unknown as Body);
}

function toolsOf(bodies: readonly Body[]): readonly string[] {
  return [...new Set(bodies.flatMap(({ tools = [] }) => tools.map(({ function: { name } }) => name)))].toSorted();
}

async function recordsOf({ app }: Running, key: string): Promise<readonly JournalRecord[]> {
  const session = await app.agent.sessions.find(key);
  const commits = session === undefined ? [] : await Array.fromAsync(session.history());
  return commits.flatMap(({ records }) => records);
}

async function ofType<Type extends JournalRecord["type"]>(place: Running, key: string, type: Type) {
  const isOf = (record: JournalRecord): record is Extract<JournalRecord, { type: Type }> => record.type === type;
  return (await recordsOf(place, key)).filter(isOf);
}

function configure(place: Running, change: JsonObject): void {
  const path = join(place.place.home, "config.json");
  place.place.configure({ ...(JSON.parse(readFileSync(path, "utf8")) as JsonObject), ...change });
}

test("PE70 PE71 PE75 a person's chat works with their agent: its manner, its tools, one prefix, and a record that says why", async () => {
  const place = await house({ agents: { kitchen }, bindings: [{ person: "eva", agent: "kitchen" }] });
  place.model.replies(says("hello"), says("again"), says("hi"));
  const first = await write(place, "eva", "hello");
  await write(place, "eva", "and again");
  expect(toolsOf(first)).toEqual(["read_file", "web_fetch", "web_search", "write_file"]);
  expect(JSON.stringify(first)).toContain("Personality");
  expect(await ofType(place, "webhook:eva", "agent.bound")).toEqual([
    { type: "agent.bound", agent: "kitchen", rule: "bindings[0] (person)", hash: expect.any(String) },
  ]);
  expect((await ofType(place, "webhook:eva", "prefix.frozen")).map(({ because }) => because)).toEqual(["opened"]);
  expect(toolsOf(await write(place, "bob", "hi"))).toContain("remember");
  expect(await ofType(place, "webhook:bob", "agent.bound")).toEqual([]);
});

test("PE73 an agent with every tool, in a guest's chat, a group and a member's: what is there without it, and no more", async () => {
  const all = { tools: ["*"], for: ["public"] };
  const bindings = [{ channel: "webhook", agent: "all" }];
  const place = await house({ agents: { all }, bindings });
  place.model.replies(says("1"), says("2"), says("3"));
  expect(toolsOf(await write(place, "ann", "hi"))).toEqual(["recall", "web_fetch", "web_search"]);
  const group = toolsOf(await write(place, "ada", "Mia, hi", { chat: "trip", group: true, addressed: "named" }));
  expect(group).toEqual(["list_dir", "read_file", "recall", "remember", "search_files", "web_fetch", "web_search"]);
  expect(toolsOf(await write(place, "eva", "hi"))).not.toContain("exec");
  expect((await ofType(place, "webhook:ann", "agent.bound")).map(({ agent }) => agent)).toEqual(["all"]);
});
