import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "@margay/core/testing";
import { expect, test } from "vitest";
import { browserOf, logIn } from "./browser.ts";
import { sendRaw, requestText } from "./raw.ts";
import { startGateway, type TestGateway } from "./support.ts";

const MINUTE = 60_000;
const PASSWORD = "four unrelated words here";

test("R283 a link works once, for one browser, whose cookie and key are worth something only together", async (t) => {
  const used: string[] = [];
  const gateway = await startGateway(t, { events: { codeUsedAgain: (kind) => used.push(kind) } });
  const { code } = gateway.gateway.auth.codes.mint("login");
  const first = await gateway.api("/auth/exchange", { method: "POST", body: { code }, token: null });
  expect(first.status).toBe(200);
  expect(Object.keys(first.body)).toEqual(["key", "expiresAt"]);
  const setCookie = first.headers.get("set-cookie") ?? "";
  expect(setCookie).toMatch(
    new RegExp(`^margay_${gateway.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000$`),
  );
  expect(await gateway.api("/auth/exchange", { method: "POST", body: { code }, token: null })).toMatchObject({
    status: 410,
    body: { code: "auth.code-used" },
  });
  expect(used).toEqual(["login"]);

  const browser = browserOf(gateway, setCookie, String(first.body.key));
  expect((await browser.api("/auth/tokens")).status).toBe(200);
  expect((await browser.api("/auth/tokens", { headers: { "margay-key": "" } })).body.code).toBe("auth.required");
  expect((await browser.api("/auth/tokens", { headers: { cookie: "" } })).body.code).toBe("auth.required");
  expect((await browser.api("/auth/tokens", { headers: { "margay-key": "x".repeat(43) } })).body.code).toBe(
    "auth.invalid",
  );
  const other = await logIn(gateway);
  expect((await browser.api("/auth/tokens", { headers: { "margay-key": other.key } })).status).toBe(401);
  expect((await browser.api("/auth/state")).body).toMatchObject({ authenticated: true, scope: ["owner", "admin"] });
  expect((await gateway.api("/auth/state", { token: null })).body).toEqual({
    authenticated: false,
    setup: false,
    methods: ["code"],
  });
});

test("a link is too old after five minutes, and a stranger's guesses are told nothing", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const { code } = gateway.gateway.auth.codes.mint("login");
  await clock.advance(5 * MINUTE);
  const late = await gateway.api("/auth/exchange", { method: "POST", body: { code }, token: null });
  expect(late).toMatchObject({ status: 410, body: { code: "auth.code-expired" } });
  const guess = await gateway.api("/auth/exchange", { method: "POST", body: { code: "A".repeat(26) }, token: null });
  expect(guess).toMatchObject({ status: 401, body: { code: "auth.invalid" } });
});

test("five wrong passwords or codes lock an address out, twice as long each time; a link of the terminal still works", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  await gateway.gateway.auth.setPassword(PASSWORD);
  const attempt = (password: string) => gateway.api("/auth/login", { method: "POST", body: { password }, token: null });
  const guess = () => gateway.api("/auth/exchange", { method: "POST", body: { code: "A".repeat(26) }, token: null });
  for (const lockedMinutes of [15, 30]) {
    expect((await attempt("a wrong password!")).status).toBe(401);
    for (let wrong = 0; wrong < 4; wrong++) expect((await guess()).status).toBe(401);
    const locked = await attempt(PASSWORD);
    expect(locked).toMatchObject({ status: 429, body: { code: "auth.locked", retryAfterMs: lockedMinutes * MINUTE } });
    expect(locked.headers.get("retry-after")).toBe(String(lockedMinutes * 60));
    expect((await guess()).status).toBe(429);
    expect((await (await logIn(gateway)).api("/auth/state")).body.authenticated).toBe(true);
    expect((await attempt(PASSWORD)).status).toBe(429);
    await clock.advance(lockedMinutes * MINUTE);
  }
  expect((await attempt(PASSWORD)).status).toBe(200);
  await gateway.app.audit.flush();
  const refused = (await gateway.app.audit.list({ limit: 100 })).map((line) => JSON.stringify(line));
  expect(refused.filter((line) => line.includes("auth.refused")).length).toBeGreaterThanOrEqual(10);
  expect(refused.join()).not.toContain("a wrong password!");
});

test("passwords that everybody tries are not accepted, and only a hash is kept", async (t) => {
  const { api, home } = await startGateway(t);
  for (const password of [
    "short",
    "password1234",
    "aaaaaaaaaaaaaaaa",
    "abcabcabcabcabc",
    "123456789012",
    "qwertyuiopas",
    "x".repeat(257),
  ])
    expect(await api("/auth/password", { method: "PUT", body: { password } }), password).toMatchObject({
      status: 422,
      body: { code: "auth.weak-password" },
    });
  expect((await api("/auth/password", { method: "PUT", body: { password: PASSWORD } })).status).toBe(204);
  const stored = readFileSync(join(home, "auth.json"), "utf8");
  expect(stored).not.toContain(PASSWORD);
  expect(statSync(join(home, "auth.json")).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "gateway.json")).mode & 0o777).toBe(0o600);
  expect((await api("/auth/login", { method: "POST", body: { password: PASSWORD }, token: null })).status).toBe(200);
});

test("scopes are those of the stored credential, whatever a client declares", async (t) => {
  const { api, token } = await startGateway(t);
  const scopes = {
    owner: token("owner"),
    admin: token("admin"),
    chat: token("chat"),
    read: token("read"),
    metrics: token("metrics"),
  };
  const seen: Record<string, readonly number[]> = {};
  for (const [name, secret] of Object.entries(scopes))
    seen[name] = [
      (await api("/auth/tokens", { token: secret })).status,
      (await api("/auth/tokens", { method: "POST", token: secret, body: { name: "x", scopes: ["owner"] } })).status,
    ];
  expect(seen).toEqual({
    owner: [200, 201],
    admin: [200, 403],
    chat: [403, 403],
    read: [403, 403],
    metrics: [403, 403],
  });
  const declared = { name: "x", scopes: ["read"], role: "owner", is_operator: true };
  const refused = await api("/auth/tokens", { method: "POST", body: declared });
  expect(refused).toMatchObject({ status: 422, body: { code: "request.invalid" } });
  expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual(["/role", "/is_operator"]);
});

test("a browser acts as owner for ten minutes after a proof, by password or by a code of the terminal", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  await gateway.gateway.auth.setPassword(PASSWORD);
  const browser = await logIn(gateway);
  const make = () => browser.api("/auth/tokens", { method: "POST", body: { name: "x", scopes: ["read"] } });
  const confirm = (body: unknown) => browser.api("/auth/confirm", { method: "POST", body });
  expect((await make()).status).toBe(201);
  await clock.advance(10 * MINUTE);
  expect(await make()).toMatchObject({ status: 403, body: { code: "auth.fresh-required" } });
  expect((await browser.api("/auth/tokens")).status).toBe(200);
  expect((await confirm({ password: "wrong password!" })).body.code).toBe("auth.invalid");
  expect((await confirm({ password: PASSWORD })).body).toEqual({ freshUntil: clock.now() + 10 * MINUTE });
  expect((await make()).status).toBe(201);
  await clock.advance(10 * MINUTE);
  const { code } = gateway.gateway.auth.codes.mint("confirm");
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  expect((await confirm({ code: `${code.slice(0, 4).toLowerCase()}-${code.slice(4)}` })).status).toBe(200);
  expect((await make()).status).toBe(201);
});

test("five guesses use a code up", async (t) => {
  const gateway = await startGateway(t);
  const { codes } = gateway.gateway.auth;
  const { code } = codes.mint("confirm");
  for (let guess = 0; guess < 5; guess++) expect(codes.redeem("confirm", "00000000")).toBe("wrong");
  expect(codes.redeem("confirm", code)).toBe("expired");
});

test("logging out, expiry and a new password end a login at once", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const works = async (browser: Awaited<ReturnType<typeof logIn>>): Promise<boolean> =>
    (await browser.api("/auth/tokens")).status === 200;
  const [one, two, three] = [await logIn(gateway), await logIn(gateway), await logIn(gateway)];
  const out = await one.api("/auth/logout", { method: "POST" });
  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect([await works(one), await works(two), await works(three)]).toEqual([false, true, true]);
  expect((await two.api("/auth/password", { method: "PUT", body: { password: PASSWORD } })).status).toBe(204);
  expect([await works(two), await works(three)]).toEqual([true, false]);
  const { items } = (await two.api("/auth/browsers")).body;
  expect(items).toMatchObject([{ current: true, address: "127.0.0.1" }]);
  await clock.advance(6 * 24 * 60 * MINUTE);
  expect(await works(two)).toBe(true);
  await clock.advance(7 * 24 * 60 * MINUTE);
  expect(await works(two)).toBe(false);
});

test("a rotated or revoked token is refused at once, or after its grace time", async (t) => {
  const clock = fakeClock();
  const { api } = await startGateway(t, { clock });
  const { body } = await api("/auth/tokens", {
    method: "POST",
    body: { name: "bot", scopes: ["admin"], expiresAt: clock.now() + 60 * MINUTE },
  });
  const { id, token: first } = body as { id: string; token: string };
  expect(first).toMatch(/^mgy_[\w-]{43}_[\w-]{6}$/);
  const status = async (secret: string): Promise<number> => (await api("/auth/tokens", { token: secret })).status;
  const rotate = async (graceSec?: number): Promise<string> => {
    const answer = await api(`/auth/tokens/${id}/rotate`, {
      method: "POST",
      body: graceSec === undefined ? {} : { graceSec },
    });
    return String(answer.body.token);
  };
  expect(await status(first)).toBe(200);
  const second = await rotate();
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  const third = await rotate(60);
  expect([await status(second), await status(third)]).toEqual([200, 200]);
  await clock.advance(MINUTE);
  expect([await status(second), await status(third)]).toEqual([401, 200]);
  await clock.advance(59 * MINUTE);
  expect((await api("/auth/tokens", { token: third })).body.code).toBe("auth.expired");
  expect((await api(`/auth/tokens/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await api(`/auth/tokens/${id}`, { method: "DELETE" })).status).toBe(404);
});

test("tokens outlive the process; the one of the machine does not", async (t) => {
  const gateway = await startGateway(t);
  const note = (): { readonly url: string; readonly pid: number; readonly token: string } =>
    JSON.parse(readFileSync(join(gateway.home, "gateway.json"), "utf8")) as ReturnType<typeof note>;
  const { url, pid, token } = note();
  expect({ url, pid }).toEqual({ url: gateway.url, pid: process.pid });
  expect((await gateway.api("/auth/codes", { method: "POST", token, body: { kind: "login" } })).status).toBe(201);
  expect((await gateway.api("/auth/codes", { method: "POST", body: { kind: "login" } })).status).toBe(403);
  const kept = gateway.token("read");
  const stored = readFileSync(join(gateway.home, "auth.json"), "utf8");
  expect(stored).not.toContain(kept);
  expect(stored).not.toContain(kept.slice(4, 47));
  await gateway.stop();
  expect(() => note()).toThrow("ENOENT");
});

const BEARERS: readonly (readonly [string, (token: string) => Readonly<Record<string, string>>])[] = [
  ["blank", () => ({ authorization: "Bearer " })],
  ["another scheme", (token) => ({ authorization: `Basic ${Buffer.from(`:${token}`).toString("base64")}` })],
  ["one character more", (token) => ({ authorization: `Bearer ${token}x` })],
  ["one character less", (token) => ({ authorization: `Bearer ${token.slice(0, -1)}` })],
  ["capitals", (token) => ({ authorization: `Bearer ${token.toUpperCase()}` })],
  ["two values", (token) => ({ authorization: `Bearer ${token}, Bearer x` })],
  ["a wrong checksum", (token) => ({ authorization: `Bearer ${token.slice(0, -6)}AAAAAA` })],
  ["only in the cookie", (token) => ({ cookie: `margay=${token}; token=${token}` })],
];

test("a credential that is not exactly one good bearer token is none", async (t) => {
  const { api, token, port } = await startGateway(t);
  const secret = token("admin");
  for (const [name, headers] of BEARERS)
    expect((await api("/auth/tokens", { token: null, headers: headers(secret) })).status, name).toBe(401);
  expect((await api(`/auth/tokens?token=${secret}`, { token: null })).status).toBe(401);
  const twice = `GET /api/v1/auth/tokens HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${secret}\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n\r\n`;
  expect((await sendRaw(port, twice)).status).toBe(401);
});

test("wrong tokens are slowed down per address, good ones are not", async (t) => {
  const { api, app, token } = await startGateway(t);
  const good = token("admin");
  const statuses: number[] = [];
  for (let wrong = 0; wrong < 25; wrong++) statuses.push((await api("/auth/tokens", { token: `mgy_${wrong}` })).status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(20);
  expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429]);
  await app.audit.flush();
  expect(
    (await app.audit.list({ limit: 50 })).filter((line) => JSON.stringify(line).includes("auth.refused")),
  ).toHaveLength(20);
  expect((await api("/auth/tokens", { token: good })).status).toBe(200);
});

test("a caller without a credential may ask 60 times a minute; probes are always answered", async (t) => {
  const { api } = await startGateway(t);
  const statuses: number[] = [];
  for (let count = 0; count < 62; count++) {
    statuses.push((await api("/auth/state", { token: null })).status);
    expect((await api("/!/health", { token: null })).status).toBe(200);
  }
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(200));
  expect(statuses.slice(60)).toEqual([429, 429]);
  expect((await api("/auth/tokens")).status).toBe(200);
});

test("a credential may ask 600 times a minute, as configured", async (t) => {
  const { api } = await startGateway(t, { config: { gateway: { limits: { requestsPerMinute: 3 } } } });
  const statuses = [];
  for (let count = 0; count < 4; count++) statuses.push((await api("/auth/tokens")).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await api("/auth/tokens");
  expect(refused.body).toMatchObject({ code: "rate.exceeded", retryable: true });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("the first password is set with the link of the terminal, once, and closes the set-up for ever", async (t) => {
  const done: string[] = [];
  const gateway = await startGateway(t, { setup: true, events: { setUp: () => done.push("set up") } });
  const post = (body: unknown) => gateway.api("/auth/setup", { method: "POST", body, token: null });
  expect((await post({ code: "x", password: PASSWORD })).body.code).toBe("auth.setup-closed");
  const { code } = gateway.gateway.auth.codes.mint("setup");
  expect((await gateway.api("/auth/state", { token: null })).body).toMatchObject({ setup: true });
  expect((await post({ code, password: "password1234" })).body.code).toBe("auth.weak-password");
  expect((await post({ code: "WRONG", password: PASSWORD })).body.code).toBe("auth.invalid");
  expect(done).toEqual([]);
  const first = await post({ code, password: PASSWORD });
  expect(first.status).toBe(200);
  expect(done).toEqual(["set up"]);
  const browser = browserOf(gateway, first.headers.get("set-cookie") ?? "", String(first.body.key));
  expect((await browser.api("/auth/tokens")).status).toBe(200);
  gateway.gateway.auth.codes.mint("setup");
  expect((await post({ code, password: PASSWORD })).body.code).toBe("auth.setup-closed");
});

/** Each line fails its own check and all later ones; the status of its own is what is answered. */
const ORDER: readonly (readonly [
  string,
  (place: TestGateway, token: string) => readonly [string, string, Record<string, string>],
  number,
  string,
])[] = [
  [
    "host",
    () => ["POST", "/nowhere", { host: "evil.test", origin: "http://evil.test", "content-type": "text/plain" }],
    403,
    "host.refused",
  ],
  [
    "origin",
    () => ["POST", "/nowhere", { origin: "http://evil.test", "content-type": "text/plain" }],
    403,
    "origin.refused",
  ],
  ["credential", () => ["POST", "/nowhere", { "content-type": "text/plain" }], 401, "auth.required"],
  [
    "path",
    (_place, token) => ["POST", "/api/v1/nowhere", { authorization: `Bearer ${token}`, "content-type": "text/plain" }],
    404,
    "request.not-found",
  ],
  [
    "method",
    (_place, token) => [
      "PATCH",
      "/api/v1/auth/tokens",
      { authorization: `Bearer ${token}`, "content-type": "text/plain" },
    ],
    405,
    "request.method",
  ],
  [
    "scope",
    (_place, token) => [
      "POST",
      "/api/v1/auth/tokens",
      { authorization: `Bearer ${token}`, "content-type": "text/plain" },
    ],
    403,
    "auth.scope",
  ],
];

test("gateway.md §2.3 of several faults the first in the fixed order is answered", async (t) => {
  const place = await startGateway(t, { config: { gateway: { limits: { requestsPerMinute: 6, bodyBytes: 1024 } } } });
  const weak = place.token("read");
  for (const [name, make, status, code] of ORDER) {
    const [method, path, headers] = make(place, weak);
    const answer = await sendRaw(place.port, requestText(place.port, method, path, headers, "{"));
    expect(answer.status, `${name}: ${answer.text}`).toBe(status);
    expect(answer.text, name).toContain(`"${code}"`);
  }
  const post = (headers: Record<string, string>, body: string) => {
    const all = { authorization: `Bearer ${strong}`, ...headers };
    return sendRaw(place.port, requestText(place.port, "POST", "/api/v1/auth/tokens", all, body));
  };
  let strong = place.token("owner");
  const large = `{"a":"${"x".repeat(2000)}`;
  expect((await post({ "content-type": "text/plain" }, large)).text).toContain("request.media-type");
  expect((await post({ "content-type": "application/json" }, large)).text).toContain("request.too-large");
  expect((await post({ "content-type": "application/json" }, '{"a":')).text).toContain("request.malformed");
  expect((await post({ "content-type": "application/json" }, '{"a":1}')).text).toContain("request.invalid");
  await place.api("/auth/tokens", { token: strong });
  await place.api("/auth/tokens", { token: strong });
  expect((await post({ "content-type": "text/plain" }, large)).text).toContain("rate.exceeded");
  strong = place.token("owner");
  expect(
    (await post({ "content-type": "application/json; charset=utf-8" }, '{"name":"n","scopes":["read"]}')).status,
  ).toBe(201);
});
