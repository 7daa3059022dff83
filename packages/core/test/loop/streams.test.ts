import { expect, test } from "vitest";
import { says } from "../../src/testing.ts";
import { startAttacked } from "../support/attacked-agent.ts";
import { checkKeys, checkOf } from "../support/stream-keys.ts";
import { outcomeOf, playCase, recovered, said, GOOD } from "../support/stream-outcomes.ts";
import { startStreamServer, streamCases } from "../support/stream-server.ts";
import type { ScriptedResponse, StreamCase } from "../support/stream-server.ts";
import { answerOn } from "../support/wire-answers.ts";
import type { WireKind } from "../../src/model/quirks.ts";

const APIS: Readonly<Record<string, WireKind>> = {
  "openai-chat": "openai-chat",
  "anthropic-messages": "anthropic",
  "openai-responses": "openai-responses",
};
/** The key that st-121's server echoes. */
const KEY = "sk-live-51f0c2d9a7e84b63";
const CASES = streamCases();
const played: string[] = [];

test("R72 PR1 the corpus has 95 stream cases, each of them is played, and every word of what they expect has a rule", () => {
  expect(CASES).toHaveLength(95);
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(95);
  expect(played).toEqual(CASES.map(({ id }) => id));
  for (const item of CASES) {
    outcomeOf(item);
    for (const key of Object.keys(item.expect)) checkOf(key);
  }
});

for (const item of CASES) {
  played.push(item.id);
  test(`R72 PR1 PR14 PR16 CX2 a whole turn of ${item.id}: ${item.title}`, async (t) => {
    await using elsewhere = await startStreamServer();
    const api = apiOf(item);
    const world = await startAttacked(t, api, KEY);
    // The connection is not kept: a request that dies on a kept one is sent twice, which is not an attempt of the turn.
    const hello = answerOn(api, says("Good morning."), 70);
    said(await world.turn("hello", { ...hello, headers: { ...hello.headers, connection: "close" } }));
    const attack = { ...item, response: redirectedTo(elsewhere.url, item.response) };
    const first = await playCase(world, api, attack);
    outcomeOf(item).holds(first, item);
    const messages = await world.messages();
    await world.reopen();
    if (item.expect["outcome"] === "retried") recovered(await world.turn("and now?", attack.response, good(api)));
    const next = await world.turn("still there?", good(api));
    recovered(next);
    expect(next.requests).toHaveLength(1);
    await world.expectSound();
    checkKeys({ item, played: first, next, messages, elsewhere: elsewhere.requests.length });
  });
}

function apiOf({ api }: StreamCase): WireKind {
  const found = APIS[api];
  if (found === undefined) throw new Error(`no wire for ${api}`);
  return found;
}

function good(api: WireKind): ScriptedResponse {
  return answerOn(api, says(GOOD), 95);
}

/** The same redirect, to a server of the test: a request that followed it would be seen there. */
function redirectedTo(url: string, response: ScriptedResponse): ScriptedResponse {
  const { location } = response.headers ?? {};
  return location === undefined ? response : { ...response, headers: { ...response.headers, location: `${url}/` } };
}
