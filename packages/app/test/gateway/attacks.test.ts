// Every case of the recorded corpus against a real port; the gateway answers after each one.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { attackCases, filled, type AttackCase, type Mapping } from "./attack-cases.ts";
import { runCase, type Arena } from "./attack-run.ts";
import { logIn } from "./browser.ts";
import { openRawSocket } from "./raw-socket.ts";
import { startGateway, type GatewayPlaceOptions } from "./support.ts";

const CASES = attackCases();
const FOREIGN = "the-words-of-another-chat";
const CONFIG_SECRET = "config-secret-7c1f8e03b2";
const HOOK_SECRET = "hook-secret-5d0c6a9e1f44";
const PASSWORD = "four unrelated words here";
const hmac = (text: string): string => createHmac("sha256", HOOK_SECRET).update(text).digest("hex");

async function arena(t: GatewayOwner, options: GatewayPlaceOptions = {}): Promise<Arena> {
  const gateway = await startGateway(t, {
    ...options,
    config: {
      tools: { exec: { sandbox: "none" }, webSearch: { engine: "brave", apiKey: CONFIG_SECRET } },
      channels: { telegram: { enabled: false, allowFrom: ["user"] } },
      gateway: {
        hooks: {
          github: { scheme: "github", secret: HOOK_SECRET },
          slack: { scheme: "slack", secret: `${HOOK_SECRET}-slack` },
        },
      },
      ...options.config,
    },
  });
  await gateway.gateway.auth.setPassword(PASSWORD);
  await gateway.app.agent.send("telegram:12345", FOREIGN).finished;
  const good = gateway.token("owner");
  const session = await gateway.api("/sessions", { method: "POST", body: { title: "attacked" }, token: good });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
  const headers = { "content-type": "image/svg+xml" };
  const upload = await gateway.api("/uploads?name=evil.svg", { method: "POST", raw: svg, headers, token: good });
  const mapping: Mapping = {
    session: String(session.body.id),
    media: String(upload.body.blob?.sha256),
    placeholders: {
      HOST: `127.0.0.1:${gateway.port}`,
      PORT: String(gateway.port),
      TOKEN: good,
      TOKEN_UPPER: good.toUpperCase(),
      CFGSECRET: CONFIG_SECRET,
      PASSWORD,
      SIG_OTHER_BODY: `sha256=${hmac("another body")}`,
      SLACK_REPLAY: `v0=${hmac('v0:1531420618:{"text":"hi"}')}`,
      TWILIO_OTHER_URL: "b3RoZXIgdXJs",
      OTHER_AUD_JWT: "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJvdGhlciJ9.c2lnbmF0dXJl",
      CAUSE_ERROR: "please fail",
    },
  };
  return { gateway, mapping, browser: await logIn(gateway), good, limited: gateway.token("read"), foreign: FOREIGN };
}

type GatewayOwner = Parameters<typeof startGateway>[0];

const PLAIN = CASES.filter(({ request }) => ["http", "raw", "ws"].includes(request.kind));
/** Runs with shorter times; see below. */
const SLOW = "gw-103";

for (const category of new Set(PLAIN.map(({ cat }) => cat)))
  test(`R284 R395 attacks: ${category}`, { timeout: 120_000 }, async (t) => {
    const place = await arena(t);
    for (const one of PLAIN.filter(({ cat, id }) => cat === category && id !== SLOW)) {
      try {
        await runCase(one, place);
      } catch (error) {
        throw new Error(`${one.id} (${one.title}) did not hold`, { cause: error });
      }
      const health = await place.gateway.api("/!/health", { token: null });
      expect(health.body, one.id).toEqual({ status: "ok" });
    }
    expect(place.gateway.logs.filter((line) => line["event"] === "gateway.failed")).toEqual([]);
    await place.gateway.app.audit.flush();
    const secrets = [place.good, place.limited, place.browser.key, place.browser.cookie.split("=")[1] ?? "", PASSWORD];
    expect(secrets.filter((secret) => JSON.stringify(place.gateway.logs).includes(secret))).toEqual([]);
    expect(holdsSecret(place.gateway.home, secrets)).toEqual([]);
  });

/** Files of the state directory in which one of them stands. */
function holdsSecret(home: string, secrets: readonly string[]): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => secrets.some((secret) => readFileSync(path, "utf8").includes(secret)));
}

function caseOf(id: string): AttackCase {
  const found = CASES.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no case ${id}.`);
  return found;
}

test("attacks: a body that drips in is cut off when its time is over", async (t) => {
  const place = await arena(t, { arrival: { headersMs: 1000, bodyMs: 2000 } });
  const slow = caseOf(SLOW);
  // It would drip for two minutes; a busy machine looks late at what is over.
  await runCase({ ...slow, expect: { ...slow.expect, closed_within_ms: 10_000 } }, place);
});

test("attacks gw-054: how long a refusal takes says nothing about the token", async (t) => {
  const { gateway, good } = await arena(t);
  const { request, expect: wanted } = caseOf("gw-054");
  const shared = `${good.slice(0, 35)}${"A".repeat(good.length - 35)}`; // `mgy_` and 31 characters of the secret
  const tokens = [`mgy_${"A".repeat(good.length - 4)}`, shared];
  const medianDifference = async (): Promise<number> => {
    const times: [number[], number[]] = [[], []];
    for (let count = 0; count < (request.n ?? 0) / 2; count++)
      for (const which of [0, 1] as const) {
        const started = performance.now();
        gateway.gateway.auth.bearer(tokens[which] ?? "");
        times[which].push(performance.now() - started);
      }
    const [a, b] = times.map((list) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? 0);
    return Math.abs((a ?? 0) - (b ?? 0)) * 1000;
  };
  expect(await medianDifference()).toBeLessThan(wanted.median_difference_below_us ?? 0);
});

test("UI10 attacks gw-056: a rotated token ends its requests and its sockets", async (t) => {
  const { gateway } = await arena(t);
  const times: number[] = [];
  for (const name of ["old", "older", "oldest"]) {
    const made = await gateway.api("/auth/tokens", { method: "POST", body: { name, scopes: ["admin"] } });
    const { id, token } = made.body as { id: string; token: string };
    const headers = { authorization: `Bearer ${token}` };
    await using socket = await openRawSocket(gateway.port, "/ws", headers);
    expect(socket.status).toBe(101);
    const started = performance.now();
    await gateway.api(`/auth/tokens/${id}/rotate`, { method: "POST", body: {} });
    expect(await socket.closed).toBe(4401);
    times.push(performance.now() - started);
    expect((await gateway.api("/system", { token })).status).toBe(401);
    expect((await openRawSocket(gateway.port, "/ws", headers)).status).toBe(401);
  }
  expect(Math.min(...times)).toBeLessThan(1000); // the best of three: what the machine does besides is not ours
});

for (const one of CASES.filter(({ request }) => request.kind === "start"))
  test(`R285 attacks ${one.id}: ${one.title} stops the start`, async () => {
    const token = "b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456";
    const put = (text: string): string => filled(text, { session: "", media: "", placeholders: { TOKEN: token } });
    const { gateway, hooks } = one.request.config ?? { gateway: {} };
    const made = margay();
    made.configure({
      ...modelConfig("http://127.0.0.1:9"),
      gateway: {
        ...(JSON.parse(put(JSON.stringify(gateway))) as object),
        port: 0,
        ...(hooks !== undefined && { hooks: { any: { secret: put(hooks.token) } } }),
      },
    });
    const { code, err } = await made.run(["gateway", "--no-open"]);
    expect({ code, err }).toMatchObject({ code: 78 });
  });

async function timed(
  work: () => Promise<{ readonly status: number }>,
): Promise<{ readonly status: number; readonly ms: number }> {
  const started = performance.now();
  const { status } = await work();
  return { status, ms: performance.now() - started };
}

test("attacks gw-104: a good request is answered beside 1,000 idle connections", async (t) => {
  const { gateway } = await arena(t);
  const { request, expect: wanted } = caseOf("gw-104");
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let count = 0; count < (request.n ?? 0); count++) {
    const socket = connect(gateway.port, "127.0.0.1");
    sockets.push(socket.on("error", () => {})); // those that make room
    await once(socket, "connect");
  }
  const good = await timed(() => gateway.api("/system"));
  expect(good.status).toBe(200);
  await expect.poll(() => sockets.filter(({ readyState }) => readyState === "open").length).toBeLessThanOrEqual(512);
  expect(good.ms).toBeLessThan(wanted.good_request_within_ms ?? 0);
});

test("attacks gw-105: of 2,000 WebSockets of one client only its share is accepted", async (t) => {
  const { gateway, good } = await arena(t);
  const { request, expect: wanted } = caseOf("gw-105");
  let accepted = 0;
  const statuses = new Set<number | undefined>();
  const open: AsyncDisposable[] = [];
  for (let count = 0; count < (request.n ?? 0); count += 50) {
    const some = Array.from({ length: 50 }, () =>
      openRawSocket(gateway.port, "/ws", { authorization: `Bearer ${good}` }),
    );
    for (const socket of await Promise.all(some)) {
      open.push(socket);
      if (socket.status === 101) accepted += 1;
      statuses.add(socket.status);
    }
  }
  expect([...statuses].filter((status) => ![101, 429, undefined].includes(status))).toEqual([]);
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThanOrEqual(wanted.accepted_at_most ?? 0);
  const after = await timed(() => gateway.api("/system"));
  expect(after.status).toBe(200);
  expect(after.ms).toBeLessThan(wanted.good_request_within_ms ?? 0);
  await Promise.all(open.map((socket) => socket[Symbol.asyncDispose]()));
});

test("attacks gw-109: of 1,000 messages at once some are refused, and another client is served", async (t) => {
  const { gateway, mapping } = await arena(t);
  const { request, expect: wanted } = caseOf("gw-109");
  const flooding = gateway.token("admin");
  const body = { parts: [{ type: "text", text: "hi" }] };
  const path = `/sessions/${mapping.session}/messages`;
  const all = Array.from({ length: request.n ?? 0 }, () =>
    gateway.api(path, { method: "POST", body, token: flooding }).then(
      ({ status }) => status,
      () => "closed", // more connections at once than there may be: the oldest idle ones make room
    ),
  );
  const statuses = await Promise.all(all);
  expect(statuses).toContain(429);
  expect(statuses).toContain(202);
  expect([...new Set(statuses)].filter((status) => ![202, 429, "closed"].includes(status))).toEqual([]);
  const after = await timed(() => gateway.api("/system"));
  expect(after.status).toBe(200);
  expect(after.ms).toBeLessThan(wanted.good_request_within_ms ?? 0);
});

test("every case of the corpus is run", () => {
  const kinds = new Set(CASES.map(({ request }) => request.kind));
  expect(CASES).toHaveLength(125);
  expect([...kinds].sort()).toEqual(
    ["connections", "flood", "http", "raw", "sequence", "start", "timing", "ws", "ws-many"].sort(),
  );
});
