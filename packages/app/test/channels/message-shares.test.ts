// What one person was told and tells on: its owner lets it go for always, bound to the words that they told and to one reader.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = {
  owner: { ids: ["webhook:ada"], name: "Ada" },
  eva: { name: "Eva", ids: ["webhook:eva"] },
  bob: { name: "Bob", ids: ["webhook:bob"] },
  carl: { name: "Carl", ids: ["webhook:carl"] },
};
const TRAIN = "EVA-TRAIN leaves at nine";
const GIFT = "EVA-GIFT is a kite";

async function house(): Promise<Running> {
  const place = await running({}, { rules: "off", config: { people } });
  for (const who of ["ada", "eva", "bob", "carl"]) await write(place, who, "hi");
  return place;
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<string> {
  await postSigned(place.port, { id: `w${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return texts(place, sender).at(-1) ?? "";
}

function texts({ receiver }: Running, chat: string): readonly string[] {
  return receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body: { text } }) => String(text));
}

async function tells(place: Running, who: string, chat_id: string, content: string): Promise<void> {
  place.model.replies(callsTool("message", { channel: "webhook", chat_id, content }), says("did it"));
  await write(place, who, `tell ${chat_id}`);
}

function questions(place: Running, chat = "eva"): readonly string[] {
  return texts(place, chat).filter((text) => text.includes("would be told this"));
}

async function answers(place: Running, who: string, word = ""): Promise<string> {
  const code = /\/allow ([2-9A-Z]{4})/.exec(questions(place, who).at(-1) ?? "")?.[1] ?? "";
  return write(place, who, `/allow ${code} ${word}`.trim());
}

/** In a conversation that begins afresh Eva tells Bob this, and Bob lets it go to somebody, who may be waiting for Eva. */
async function toldOn(place: Running, from: readonly string[], reader: string, content: string): Promise<void> {
  await write(place, "bob", "/new");
  for (const text of from) await tells(place, "eva", "bob", text);
  await tells(place, "bob", reader, content);
  await answers(place, "bob");
}

test("PE45 PE43 Always on a message: what is made of just those words goes to that reader unasked, until it is taken back", async () => {
  let place = await house();
  await toldOn(place, [TRAIN], "carl", "the train is at nine");
  expect(questions(place).at(-1)).toContain(`earlier: ${TRAIN}`);
  // Of his own, which has no name, Bob is asked each time.
  expect(questions(place, "bob").at(-1)).not.toContain("always");
  expect(await answers(place, "eva", "always")).toContain("from these always");
  expect(texts(place, "carl").at(-1)).toBe("the train is at nine");
  place = await startedAgain(place);
  const before = questions(place).length;
  await toldOn(place, [TRAIN], "carl", "at nine, says Eva");
  expect(texts(place, "carl").at(-1)).toBe("at nine, says Eva");
  expect(questions(place)).toHaveLength(before);
  // Another reader, other words beside them, one word changed.
  for (const [from, reader] of [
    [[TRAIN], "ada"],
    [[TRAIN, GIFT], "carl"],
    [["EVA-TRAIN leaves at ten"], "carl"],
  ] as const) {
    const count = questions(place).length;
    await toldOn(place, from, reader, `so it is: ${from.join()}`);
    expect(questions(place)).toHaveLength(count + 1);
    expect(texts(place, reader).at(-1)).not.toContain("so it is");
  }
  const list = await write(place, "eva", "/shared");
  expect(list).toContain(`earlier: ${TRAIN}, to Carl`);
  const { shares } = JSON.parse(readFileSync(join(place.place.home, "shares.json"), "utf8")) as {
    shares: readonly { readonly id: string }[];
  };
  await write(place, "eva", `/shared remove ${shares[0]?.id ?? ""}`);
  await toldOn(place, [TRAIN], "carl", "nine it is");
  expect(texts(place, "carl").at(-1)).not.toBe("nine it is");
});

test("PE45 what was found again bears no name, and is let go once only", async () => {
  const place = await house();
  await tells(place, "eva", "bob", TRAIN);
  await write(place, "bob", "/new");
  place.model.replies(callsTool("recall", { query: "train" }), says("at nine"));
  await write(place, "bob", "when?");
  await tells(place, "bob", "carl", "the train is at nine");
  await answers(place, "bob");
  expect(questions(place).at(-1)).toContain("found by recall");
  expect(questions(place).at(-1)).not.toContain("always");
  expect(await answers(place, "eva", "always")).toContain("asked about each time");
  expect(texts(place, "carl").join()).not.toContain("the train");
});

test("PE43 who is asked about a message may have something else said: their words arrive, and nobody else's", async () => {
  const place = await house();
  await toldOn(place, [TRAIN, GIFT], "carl", `${TRAIN}, ${GIFT}`);
  expect(questions(place).at(-1)).toContain("YOUR WORDS");
  await answers(place, "eva", "the train is at nine");
  expect(texts(place, "carl").at(-1)).toBe("the train is at nine");
  expect(texts(place, "carl").join()).not.toContain("EVA-GIFT");
  const session = await place.app.agent.sessions.find("webhook:carl");
  expect(session?.state.label.readers).toEqual([{ to: ["carl", "eva"], by: "eva" }]);
});
