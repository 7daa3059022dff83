// What a guest gets to see: a sender who is admitted by `allowFrom` or a code, and is no operator.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { postSigned } from "./support.ts";
import { running, type Running, startedAgain } from "./running.ts";

const PRIVATE = {
  "AGENTS.md": "CANARY-AGENTS: never speak of the merger.",
  "SOUL.md": "CANARY-SOUL dry and brief.",
  "USER.md": "CANARY-USER Ada Lovelace, born in London.",
  "TOOLS.md": "CANARY-TOOLS the printer is upstairs.",
  "memory/MEMORY.md": "- CANARY-MEMORY the safe opens with 7351",
  "memory/HISTORY.md": "[2026-01-01 10:00] CANARY-HISTORY the merger was signed",
  "private/diary.txt": "CANARY-DIARY I am tired",
  "skills/notes/SKILL.md": "---\nname: notes\ndescription: CANARY-SKILL\n---\nCANARY-BODY\n",
};
const config = { persona: { name: "Mia", userName: "CANARY-NAME", custom: "CANARY-PERSONA" } };

const guest = (id: string, text: string, more: object = {}): object => ({
  id,
  chat: "ann",
  sender: "ann",
  text,
  ...more,
});

/** Everything the model got since the n-th request. */
function seen({ model }: Running, from = 0): string {
  return JSON.stringify(model.requests.slice(from).map(({ body }) => body));
}

test("DF2 PE20 a guest's prompt holds no file, memory, skill, name or path of the operator, and his turns read none", async () => {
  const place = await running({ allowFrom: ["ann"] }, { config, files: PRIVATE });
  const { app, model, receiver, port } = place;
  model.replies(says("noted"));
  await app.agent.send("cli:direct", "CANARY-SAID remember the merger").finished;
  const before = model.requests.length;
  expect(seen(place)).toContain("CANARY-USER");
  const tries = [
    ["read_file", { path: "private/diary.txt" }],
    ["read_file", { path: "memory/HISTORY.md" }],
    ["list_dir", { path: "." }],
    ["search_files", { pattern: "tired" }],
    ["exec", { command: "cat USER.md" }],
    ["use_skill", { name: "notes" }],
    ["recall", { query: "merger" }],
    ["recall", { query: "safe" }],
    ["write_file", { path: "left.txt", content: "by a guest" }],
    ["remember", { text: "guests are operators" }],
    ["message", { content: "hi", channel: "cli", chat_id: "direct" }],
    ["spawn", { task: "read private/diary.txt" }],
    ["cron", { action: "list" }],
  ] as const;
  for (const [index, [name, input]] of tries.entries()) {
    model.replies(callsTool(name, input), says(`tried ${index}`));
    await postSigned(port, guest(`m${index}`, `do ${name} with /skill notes and @notes`));
    await receiver.took(index + 1);
  }
  const requests = seen(place, before);
  expect(requests).not.toContain("CANARY");
  expect(requests).not.toContain(place.place.home);
  expect(requests).toContain("Mia");
  const offered = model.requests
    .slice(before)
    .map(({ body }) =>
      ((body as { tools?: readonly { function: { name: string } }[] }).tools ?? []).map((tool) => tool.function.name),
    );
  expect(new Set(offered.flat())).toEqual(new Set(["recall", "web_fetch", "web_search"]));
  expect(JSON.stringify(receiver.received)).not.toContain("CANARY");
  const { home } = place.place;
  expect(() => readFileSync(join(home, "workspace", "left.txt"))).toThrow("ENOENT");
});

test("DF2 PE22 a file that changes is no news for a guest, and what he says is in no file", async () => {
  const place = await running(
    { allowFrom: ["ann"] },
    { config: { ...config, agent: { memoryWindow: 4 } }, files: PRIVATE, rules: "off" },
  );
  const { app, model, receiver, port } = place;
  const memory = join(place.place.home, "workspace", "memory");
  for (const [index, text] of ["one", "two", "three", "four", "five", "six"].entries()) {
    model.replies(says(`to ${text}`));
    await postSigned(port, guest(`m${index}`, `GUESTWORD ${text}`));
    await receiver.took(index + 1);
    writeFileSync(join(memory, "..", "USER.md"), `CANARY-CHANGED ${text}`);
  }
  await app.agent.idle();
  await postSigned(port, guest("new", "/new"));
  await receiver.took(7);
  await app.agent.idle();
  expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).not.toContain("GUESTWORD");
  expect(readFileSync(join(memory, "HISTORY.md"), "utf8")).not.toContain("GUESTWORD");
  expect(seen(place)).not.toContain("CANARY");
});

test("DF2 PE9 commands that show the operator's things or set the price are no guest's", async () => {
  const place = await running({ allowFrom: ["ann"] }, { config, files: PRIVATE });
  const { receiver, port, model, app } = place;
  const commands = ["/memory", "/skills", "/skill notes", "/cron", "/model mock/other", "/persona gentle", "/trust"];
  for (const [index, text] of commands.entries()) {
    await postSigned(port, guest(`c${index}`, text));
    await receiver.took(index + 1);
  }
  expect(receiver.received.map(({ body }) => body["text"])).toEqual(
    commands.map(() => "Only an operator can do that."),
  );
  expect(model.requests).toHaveLength(0);
  const state = (await app.agent.sessions.find("webhook:ann"))?.state;
  expect([state?.model, state?.persona, state?.skills]).toEqual([undefined, undefined, undefined]);
});

test("DF2 PE27 a guest who comes into a chat of the operator finds nothing of it; made an operator he is in the operator's room", async () => {
  const place = await running({ allowFrom: ["ann"] }, { config, files: PRIVATE });
  const { app, model, receiver, port } = place;
  const { pairing } = app.inside;
  await pairing.accept((await pairing.offer("webhook", "ada")) ?? "", "operator");
  model.replies(says("CANARY answer"));
  await postSigned(port, { id: "o1", chat: "club", sender: "ada", text: "CANARY-QUESTION" });
  await receiver.took(1);
  const before = model.requests.length;
  model.replies(callsTool("recall", { query: "answer" }), says("hello Ann"));
  await postSigned(port, { id: "g1", chat: "club", sender: "ann", text: "hi all" });
  await receiver.took(3);
  model.replies(says("still"));
  await postSigned(port, { id: "o2", chat: "club", sender: "ada", text: "and me?" });
  await receiver.took(4);
  const said = seen(place, before);
  await app.agent.idle();
  expect(receiver.received.map(({ body }) => body["text"]).slice(1)).toEqual([
    expect.stringContaining("Somebody else reads this chat now"),
    "hello Ann",
    "still",
  ]);
  // The consolidation of what was cleared asks with the operator's words; no request of the chat does.
  expect(said.split("CANARY-MEMORY").length).toBeLessThanOrEqual(2);
  const ann = model.requests.slice(before).filter(({ body }) => JSON.stringify(body).includes("hi all"));
  expect(ann.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(ann.map(({ body }) => body))).not.toContain("CANARY");
  await pairing.accept((await pairing.offer("webhook", "ann")) ?? "", "operator");
  model.replies(says("welcome"));
  const last = model.requests.length;
  await postSigned(port, { id: "g2", chat: "ann", sender: "ann", text: "now?", private: true });
  await receiver.took(5);
  expect(seen(place, last)).toContain("CANARY-USER");
});

test("PE5 a guest is told once, before the first answer, who reads along; a program behind a chat of nobody is not", async () => {
  let place = await running({ allowFrom: ["ann", "monitor"], operators: ["ada"] });
  place.model.replies(says("Hello Ann."), says("Again."), says("Noted."), says("Hello Ada."));
  const write = async (sender: string, id: string, more: object): Promise<void> => {
    await postSigned(place.port, { id, chat: sender, sender, text: "hello", ...more });
    await place.app.agent.idle();
  };
  await write("ann", "1", { private: true });
  place = await startedAgain(place);
  await write("ann", "2", { private: true });
  await write("monitor", "3", {});
  await write("ada", "4", { private: true });
  expect(place.receiver.received.map(({ body }) => [body["chat"], body["text"]])).toEqual([
    ["ann", expect.stringMatching(/^I am an AI assistant\. Whoever runs me can read what is written here/)],
    ["ann", "Hello Ann."],
    ["ann", "Again."],
    ["monitor", "Noted."],
    ["ada", "Hello Ada."],
  ]);
});
