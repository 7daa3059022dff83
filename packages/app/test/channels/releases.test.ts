// What one person's conversation would tell another, and belongs to somebody else: asked of them, told by their yes, and by nothing else.
import { callsTool, says } from "@margay/core/testing";
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
