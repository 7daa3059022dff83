// Chat platforms that call us: over the listener of the gateway, believed by their proof alone.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import type { Json } from "@margay/core";
import { fakeClock } from "@margay/core/testing";
import type { ChannelHook } from "@margay/core/internal";
import { expect, test } from "vitest";
import { startGateway, type ApiAnswer, type TestGateway } from "./support.ts";

const NOW = 1_790_000_000_000;
const SECRET = "5f1c0a9e7b3d4826a1f0c9e8d7b6a594";
const MIB = 1024 * 1024;

interface Place {
  readonly gateway: TestGateway;
  /** What was handed over. */
  readonly taken: string[];
  /** How often its proof was asked for. */
  proofs: number;
}

function signature(at: string, body: string | Uint8Array, secret = SECRET): string {
  return createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex");
}

async function start(
  t: Parameters<typeof startGateway>[0],
  hook: Partial<ChannelHook> = {},
  arrival?: { readonly headersMs: number; readonly bodyMs: number },
): Promise<Place> {
  const gateway = await startGateway(t, { clock: fakeClock(NOW), ...(arrival !== undefined && { arrival }) });
  await expect.poll(() => gateway.gateway.services.ready()).toBe(true); // before, who calls is told to come again
  const taken: string[] = [];
  const place: Place = { gateway, taken, proofs: 0 };
  gateway.app.inside.platforms.hooks.open("talk", "events", {
    proof: (headers, body) => {
      place.proofs += 1;
      const [at, given] = [headers.get("X-Talk-Time"), headers.get("x-talk-signature")];
      return given === null
        ? undefined
        : { given, expected: signature(at ?? "", body), ...(at !== null && { signedAt: Number(at) * 1000 }) };
    },
    handle: (_headers, body) => {
      taken.push(Buffer.from(body).toString());
      return Promise.resolve({ heard: body.length } as Json);
    },
    ...hook,
  });
  return place;
}

interface Calling {
  readonly at?: string;
  readonly secret?: string;
  readonly path?: string;
  readonly method?: string;
}

function call(
  { gateway }: Place,
  body: string,
  { at = String(NOW / 1000), secret, path, method }: Calling = {},
): Promise<ApiAnswer> {
  return gateway.api(`/!/hooks/channel/${path ?? "talk/events"}`, {
    method: method ?? "POST",
    ...(method !== "GET" && { raw: body }),
    headers: { "x-talk-time": at, "x-talk-signature": signature(at, body, secret) },
    token: null,
  });
}

test("CH55 a call with its proof is handed over as it came, and its answer goes back; nothing else of the gateway opens", async (t) => {
  const place = await start(t);
  const body = '{ "text":\t"ü", "of": "a person" }';
  const answer = await call(place, body);
  expect([answer.status, answer.body]).toEqual([200, { heard: Buffer.byteLength(body) }]);
  expect(place.taken).toEqual([body]);
  expect(place.gateway.app.inside.platforms.hooks.addresses("talk")).toEqual(["/hooks/channel/talk/events"]);
});

test("CH55 CH132 a bad, a missing, an old and a future signature: 401 without a word, nothing is handed over, the log says which", async (t) => {
  const place = await start(t);
  const [late, early] = [String(NOW / 1000 - 301), String(NOW / 1000 + 301)];
  const answers = [
    await call(place, "{}", { secret: "another" }),
    await call(place, "{}", { secret: `${SECRET} ` }),
    await place.gateway.api("/!/hooks/channel/talk/events", { method: "POST", raw: "{}", token: null }),
    await call(place, "{}", { at: late }),
    await call(place, "{}", { at: early }),
    await call(place, "{}", { at: "soon" }),
    await call(place, "{}", { path: "talk/other" }),
    await call(place, "{}", { path: "nobody/events" }),
  ];
  expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [401, ""]));
  expect(place.taken).toEqual([]);
  const { body } = await place.gateway.api("/audit?limit=50");
  const entries = body.items as readonly { readonly name: string; readonly data: { readonly reason: string } }[];
  const refused = entries.filter(({ name }) => name === "hook.refused");
  expect(refused.map(({ data }) => data.reason).toReversed()).toEqual([
    "wrong signature",
    "wrong signature",
    "no signature",
    "old timestamp",
    "old timestamp",
    "no timestamp",
    "unknown hook",
    "unknown hook",
  ]);
  for (const at of [String(NOW / 1000 - 300), String(NOW / 1000 + 300)])
    expect((await call(place, "{}", { at })).status).toBe(200);
});

test("CH55 an empty signature is none, also where an empty one would be right: a secret that is not set proves nothing", async (t) => {
  const place = await start(t, { proof: () => ({ given: "", expected: "" }) });
  expect((await call(place, "{}")).status).toBe(401);
  expect(place.taken).toEqual([]);
});

test("CH132 more than 1 MiB is not read to its end; a channel that gets files may ask for 25 MiB and no more", async (t) => {
  const place = await start(t);
  expect((await call(place, "x".repeat(2 * MIB))).status).toBe(413);
  expect((await call(place, "x".repeat(2 * MIB), { path: "nobody/events" })).status).toBe(413);
  expect([place.proofs, place.taken]).toEqual([0, []]);
  const media = await start(t, { maxBytes: 100 * MIB });
  expect((await call(media, "x".repeat(24 * MIB))).body).toEqual({ heard: 24 * MIB });
  expect((await call(media, "x".repeat(25 * MIB + 1))).status).toBe(413);
});

test("CH132 a body that does not come is left, and nothing was asked about it", async (t) => {
  const place = await start(t, {}, { headersMs: 200, bodyMs: 400 });
  const socket = connect(place.gateway.port, "127.0.0.1");
  socket.write(
    `POST /hooks/channel/talk/events HTTP/1.1\r\nHost: 127.0.0.1:${place.gateway.port}\r\nContent-Length: 1000\r\n\r\n{`,
  );
  socket.resume();
  await once(socket, "close");
  expect([place.proofs, place.taken]).toEqual([0, []]);
});

test("CH132 a GET is no call", async (t) => {
  const place = await start(t);
  expect((await call(place, "", { method: "GET" })).status).toBe(401);
  expect([place.proofs, place.taken]).toEqual([0, []]);
});

test("CH55 thirty failures a minute are answered, then 429; calls with their proof are taken all the same", async (t) => {
  const place = await start(t);
  const answers: number[] = [];
  for (let i = 0; i < 31; i += 1) answers.push((await call(place, "{}", { secret: "another" })).status);
  expect([new Set(answers.slice(0, 30)), answers[30]]).toEqual([new Set([401]), 429]);
  expect((await call(place, "{}")).status).toBe(200);
});

test("CH55 CH20 what could not be taken is answered with 503, without detail: the platform calls again", async (t) => {
  const place = await start(t, { handle: () => Promise.reject(new Error("the disk of this machine is full")) });
  const answer = await call(place, "{}");
  expect([answer.status, answer.body, answer.headers.get("retry-after")]).toEqual([503, "", "30"]);
  expect(place.gateway.logs.filter(({ event }) => event === "channel.call-failed")).toMatchObject([
    { channel: "talk", message: "the disk of this machine is full" },
  ]);
});

test("CH55 an address is gone with the run that opened it, and the newest run has it", async (t) => {
  const place = await start(t);
  const { hooks } = place.gateway.app.inside.platforms;
  const next: ChannelHook = {
    proof: () => ({ given: "a", expected: "a" }),
    handle: () => Promise.resolve({ by: "the next" }),
  };
  const first = hooks.open("two", "events", { ...next, handle: () => Promise.resolve({ by: "the first" }) });
  const second = hooks.open("two", "events", next);
  first?.[Symbol.dispose]();
  expect((await call(place, "{}", { path: "two/events" })).body).toEqual({ by: "the next" });
  second?.[Symbol.dispose]();
  expect((await call(place, "{}", { path: "two/events" })).status).toBe(401);
  expect(() => hooks.open("two", "../x", next)).toThrow("no path");
});
