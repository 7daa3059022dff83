// Who may come in, to the last millisecond and the last try: each bound of logins, codes, tokens and guesses from both sides.
import { openFileDocs } from "@margay/core/internal";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "@margay/core/testing";
import { type FakeClock } from "@margay/core/internal/testing";
import { describe, expect, test } from "vitest";
import { createCodes } from "../../src/host/auth/codes.ts";
import { allows, type Credential, type GrantedScope } from "../../src/host/auth/credential.ts";
import { createLockout, type Lockout } from "../../src/host/auth/lockout.ts";
import { acceptablePassword, createHasher, isPredictable } from "../../src/host/auth/password.ts";
import { openAuth, type AuthStore } from "../../src/host/auth/store.ts";
import { normalCode } from "../../src/host/auth/secrets.ts";
import { margay } from "../cli/harness.ts";
import { browserOf, logIn } from "./browser.ts";
import { requestText, sendRaw } from "./raw.ts";
import { startGateway, type TestGateway } from "./support.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PASSWORD = "four unrelated words here";

describe("guesses", () => {
  const HERE = "203.0.113.1";
  const isLocked = (lockout: Lockout, address = HERE, kind: "password" | "code" = "password"): boolean => {
    try {
      lockout.check(address, kind);
      return false;
    } catch {
      return true;
    }
  };
  const fail = (lockout: Lockout, times: number, address = HERE, kind: "password" | "code" = "code"): void => {
    for (let time = 0; time < times; time++) lockout.failed(address, kind);
  };

  test("the fifth within a quarter of an hour locks, the fifth after it does not", async () => {
    for (const [pause, locked] of [
      [15 * MINUTE - 1, true],
      [15 * MINUTE, false],
    ] as const) {
      const clock = fakeClock();
      const lockout = createLockout(clock);
      fail(lockout, 4);
      expect(isLocked(lockout)).toBe(false);
      await clock.advance(pause);
      fail(lockout, 1);
      expect(isLocked(lockout)).toBe(locked);
      expect(isLocked(lockout, HERE, "code")).toBe(locked);
      expect(isLocked(lockout, "203.0.113.2")).toBe(false);
    }
  });

  test("each lock is twice as long, a day at most, and ends when it said", async () => {
    const clock = fakeClock();
    const lockout = createLockout(clock);
    for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1440, 1440]) {
      fail(lockout, 5);
      const refusal = (left: number): unknown =>
        expect.objectContaining({
          code: "auth.locked",
          details: expect.objectContaining({
            retryAfterMs: left,
            headers: { "retry-after": String(Math.ceil(left / 1000)) },
          }),
        });
      expect(() => lockout.check(HERE, "code")).toThrow(refusal(minutes * MINUTE) as Error);
      await clock.advance(minutes * MINUTE - 1);
      expect(() => lockout.check(HERE, "code")).toThrow(refusal(1) as Error);
      await clock.advance(1);
      expect(isLocked(lockout)).toBe(false);
    }
  });

  test("a right password forgets the wrong ones before it", () => {
    const lockout = createLockout(fakeClock());
    fail(lockout, 4);
    lockout.succeeded(HERE);
    fail(lockout, 4);
    expect(isLocked(lockout)).toBe(false);
    fail(lockout, 1);
    expect(isLocked(lockout)).toBe(true);
  });

  test("passwords go off at the fiftieth wrong one within an hour, for all, and are counted anew", async () => {
    const clock = fakeClock();
    const lockout = createLockout(clock);
    const many = (count: number): void => {
      for (let n = 0; n < count; n++) lockout.failed(`198.51.100.${n}`, "password");
    };
    many(49);
    await clock.advance(HOUR - 1);
    expect(isLocked(lockout, "192.0.2.1")).toBe(false);
    many(1);
    expect(isLocked(lockout, "192.0.2.1")).toBe(true);
    await clock.advance(15 * MINUTE - 1);
    expect(isLocked(lockout, "192.0.2.1")).toBe(true);
    await clock.advance(1);
    expect(isLocked(lockout, "192.0.2.1")).toBe(false);
    many(49);
    expect(isLocked(lockout, "192.0.2.1")).toBe(false);
    await clock.advance(HOUR);
    many(1);
    expect(isLocked(lockout, "192.0.2.1")).toBe(false);
    for (let n = 0; n < 200; n++) lockout.failed(`192.0.3.${n}`, "code"); // guessed codes switch no passwords off
    expect(isLocked(lockout, "192.0.2.1")).toBe(false);
  });

  test("ten thousand addresses are remembered, the one that failed longest ago is forgotten", () => {
    for (const [others, locked] of [
      [9_999, true],
      [10_000, false],
    ] as const) {
      const lockout = createLockout(fakeClock());
      fail(lockout, 1);
      fail(lockout, 1, "192.0.2.9");
      fail(lockout, 3); // since then the other one is the older
      for (let n = 0; n < others; n++) fail(lockout, 1, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
      fail(lockout, 1);
      expect(isLocked(lockout)).toBe(locked);
    }
  });
});

describe("codes", () => {
  for (const [kind, characters, minutes] of [
    ["login", 26, 5],
    ["confirm", 8, 5],
    ["setup", 26, 30],
  ] as const)
    test(`one of the kind ${kind} has ${characters} characters and is good for ${minutes} minutes`, async () => {
      const clock = fakeClock();
      const codes = createCodes(clock);
      const [first, second] = [codes.mint(kind), codes.mint(kind)];
      expect(first.code).toHaveLength(characters);
      expect(first.expiresAt).toBe(clock.now() + minutes * MINUTE);
      await clock.advance(minutes * MINUTE - 1);
      expect([codes.waits(kind), codes.redeem(kind, first.code)]).toEqual([true, "ok"]);
      await clock.advance(1);
      expect([codes.waits(kind), codes.redeem(kind, second.code)]).toEqual([false, "expired"]);
    });

  test("five wrong tries use those of set-up and confirmation up, guesses no login", () => {
    const codes = createCodes(fakeClock());
    for (const kind of ["setup", "confirm"] as const) {
      const { code } = codes.mint(kind);
      for (let n = 0; n < 4; n++) expect(codes.redeem(kind, "0")).toBe("wrong");
      expect(codes.waits(kind)).toBe(true);
      expect(codes.redeem(kind, "0")).toBe("wrong");
      expect([codes.waits(kind), codes.redeem(kind, code)]).toEqual([false, "expired"]);
    }
    const { code } = codes.mint("login");
    for (let n = 0; n < 100; n++) codes.redeem("login", "0");
    expect([codes.waits("confirm"), codes.redeem("login", code)]).toEqual([false, "ok"]);
    expect(codes.waits("login")).toBe(false); // it was used
  });

  test("what was used or is too old is recognized for a day, and of a thousand", async () => {
    const clock = fakeClock();
    const codes = createCodes(clock);
    const old = codes.mint("login");
    await clock.advance(5 * MINUTE + DAY - 1);
    codes.mint("login");
    expect(codes.redeem("login", old.code)).toBe("expired");
    await clock.advance(1);
    const first = codes.mint("login");
    expect(codes.redeem("login", old.code)).toBe("wrong");
    for (let n = 0; n < 999; n++) codes.mint("login");
    expect(codes.redeem("login", first.code)).toBe("ok");
    codes.mint("login");
    expect(codes.redeem("login", first.code)).toBe("wrong");
  });

  test("letters that look like digits are those digits", () => {
    expect(normalCode("oO0 iIlL-1a\tz")).toBe("00011111AZ");
  });
});

describe("passwords", () => {
  test("are 12 to 256 bytes, counted as they are kept", () => {
    const accepted = (typed: string): boolean => {
      try {
        acceptablePassword(typed);
        return true;
      } catch {
        return false;
      }
    };
    const long = "correct donkey paperclip sky ".repeat(9).slice(0, 256);
    expect(["t7#Kq!m2Zp9", "t7#Kq!m2Zp9w", long, `${long}x`].map(accepted)).toEqual([false, true, true, false]);
    expect([accepted("喝绿茶雨"), accepted("喝绿茶")]).toEqual([true, false]); // 12 and 9 bytes
    expect(acceptablePassword("ｔ７＃Ｋｑ！ｍ２Ｚｐ９ｗ")).toBe("t7#Kq!m2Zp9w");
  });

  test.each([
    ["Password1234", true],
    ["PASSWORD!!!!", true],
    ["abababababab", true],
    ["abcabcabcabcabcabc12", true],
    ["defghijklmno", true],
    ["onmlkjihgfed", true],
    ["qwertyuiop[]", true],
    ["456789012345", true],
    ["aabbccddeeffgg", false],
    ["67890-=qwertyuio", true],
    ["P@ssw0rd1234", true],
    ["abababcdef", true],
    ["abababcdefg", false],
    ["defghijklmno!", false],
    ["abcdefgabcdefgabcdefg", false],
  ])("%s is what everybody tries: %s", (typed, isSo) => expect(isPredictable(typed)).toBe(isSo));

  test("the same in another form of Unicode is the same, any other is another", async () => {
    const hasher = createHasher();
    const stored = await hasher.make("Café au lait, twice");
    expect(stored).toMatchObject({ N: 32_768, r: 8, p: 3 });
    expect(Buffer.from(stored.salt, "base64")).toHaveLength(16);
    expect(await hasher.fits("Cafe\u0301 au lait, twice", stored)).toBe(true);
    expect(await hasher.fits("Cafe au lait, twice", stored)).toBe(false);
    expect(await hasher.fits("Café au lait, twice", { ...stored, hash: stored.hash.slice(0, 20) })).toBe(false);
    expect(await hasher.fits("", undefined)).toBe(false);
    expect((await hasher.make("Café au lait, twice")).hash).not.toBe(stored.hash);
  });

  test("five are looked at or wait, the sixth is told to come again; later ones are looked at again", async () => {
    const hasher = createHasher();
    const six = await Promise.allSettled(Array.from({ length: 6 }, () => hasher.fits(PASSWORD, undefined)));
    expect(six.map(({ status }) => status)).toEqual([...Array(5).fill("fulfilled"), "rejected"]);
    expect(six[5]).toMatchObject({ reason: { code: "rate.exceeded", details: { retryAfterMs: 2000 } } });
    expect(await hasher.fits(PASSWORD, undefined)).toBe(false);
  });
});

describe("scopes", () => {
  const ALL = ["owner", "admin", "chat", "read", "metrics"] as const;
  const credential = (kind: Credential["kind"], scope: GrantedScope, freshUntil?: number): Credential => ({
    kind,
    id: "x",
    name: "x",
    scopes: new Set([scope]),
    gone: new AbortController().signal,
    ...(freshUntil !== undefined && { freshUntil }),
  });
  const may = (one: Credential): string => ALL.filter((scope) => allows(one, scope, 1000)).join(" ");

  test("each scope includes what its table says", () => {
    expect(ALL.map((scope) => `${scope}: ${may(credential("token", scope))}`)).toEqual([
      "owner: owner admin chat read metrics",
      "admin: admin chat read metrics",
      "chat: chat",
      "read: read metrics",
      "metrics: metrics",
    ]);
  });

  test("a browser is the owner while its proof is fresh, a token never becomes one", () => {
    expect(may(credential("browser", "admin", 1001))).toBe("owner admin chat read metrics");
    expect(may(credential("browser", "admin", 1000))).toBe("admin chat read metrics");
    expect(may(credential("browser", "admin"))).toBe("admin chat read metrics");
    expect(may(credential("browser", "read", 1001))).toBe("read metrics");
    expect(may(credential("token", "admin", 1001))).toBe("admin chat read metrics");
  });
});

describe("what is kept", () => {
  interface Kept {
    readonly tokens: readonly { readonly id: string; readonly scopes: readonly string[]; readonly previous?: object }[];
    readonly browsers: readonly { readonly id: string; readonly lastSeenAt: number; readonly userAgent: string }[];
  }
  const kept = (home: string): Kept => JSON.parse(readFileSync(join(home, "auth.json"), "utf8")) as Kept;
  const auth = (
    clock: FakeClock,
    home: string,
    { idleMs = HOUR, maxMs = 3 * HOUR, docs = openFileDocs(home) } = {},
  ): AuthStore => {
    let last = 0;
    const ids = { next: (kind: string) => `${kind}-${++last}` };
    return openAuth({ docs, clock, ids, configured: "", lifetimes: () => ({ idleMs, maxMs }) });
  };
  const client = { address: "127.0.0.1", userAgent: "x".repeat(300) };
  const place = (): string => {
    const made = margay();
    made.configure({});
    return made.home;
  };

  test("when a browser was last seen is written once a minute, and its idle time counts from there", async () => {
    const clock = fakeClock();
    const home = place();
    using store = auth(clock, home);
    const began = clock.now();
    const { cookie, key, expiresAt, maxAgeMs } = await store.openBrowser(client);
    expect({ expiresAt, maxAgeMs }).toEqual({ expiresAt: began + HOUR, maxAgeMs: 3 * HOUR });
    expect(kept(home).browsers[0]?.userAgent).toBe("x".repeat(200));
    const seen = (): number | undefined => kept(home).browsers[0]?.lastSeenAt;
    await clock.advance(MINUTE - 1);
    store.browser(cookie, key);
    expect(seen()).toBe(began);
    await clock.advance(1);
    expect(store.browser(cookie, key)).toMatchObject({ kind: "browser", expiresAt: began + MINUTE + HOUR });
    await expect.poll(seen).toBe(began + MINUTE);
    await clock.advance(HOUR - 1);
    expect(store.browsers()).toHaveLength(1);
    expect(store.browser(cookie, "x".repeat(43))).toBe("invalid"); // and counts for nothing
    await clock.advance(1);
    expect(store.browsers()).toEqual([]);
    await expect.poll(() => kept(home).browsers).toEqual([]);
    expect(store.browser(cookie, key)).toBe("invalid");
  });

  test("a browser that is used every day ends at its last day all the same, with what it had open", async () => {
    const clock = fakeClock();
    using store = auth(clock, place());
    const { cookie, key, credential } = await store.openBrowser(client);
    for (let half = 1; half < 6; half++) {
      await clock.advance(HOUR / 2);
      expect(store.browser(cookie, key)).toBe(credential);
    }
    expect(credential.gone.aborted).toBe(false);
    await clock.advance(HOUR / 2);
    expect(credential.gone.aborted).toBe(true);
    expect(store.browser(cookie, key)).toBe("invalid");
  });

  test.each([
    ["a logout", (store: AuthStore, id: string): Promise<unknown> => store.closeBrowser(id)],
    ["a new password", (store: AuthStore): Promise<unknown> => store.setPassword(PASSWORD)],
  ])("%s that the disk did not take holds here, and is written when it is asked for again", async (_what, end) => {
    const clock = fakeClock();
    const home = place();
    const disk = openFileDocs(home);
    let isFull = false;
    const write: typeof disk.write = (...doc) => (isFull ? Promise.reject(new Error("ENOSPC")) : disk.write(...doc));
    using store = auth(clock, home, { docs: { ...disk, write } });
    const { cookie, key, credential } = await store.openBrowser(client);
    isFull = true;
    await expect(end(store, credential.id)).rejects.toThrow("ENOSPC");
    expect([store.browser(cookie, key), store.browsers(), store.hasPassword()]).toEqual(["invalid", [], false]);
    expect(kept(home).browsers).toHaveLength(1);
    isFull = false;
    await end(store, credential.id);
    expect(kept(home).browsers).toEqual([]);
    using next = auth(clock, home);
    expect([next.browser(cookie, key), next.hasPassword()]).toEqual(["invalid", store.hasPassword()]);
  });

  test("a start forgets nothing, and one that had ended while nothing ran is told so once, and gone", async () => {
    const clock = fakeClock();
    const home = place();
    const first = auth(clock, home);
    const [one, two] = [await first.openBrowser(client), await first.openBrowser(client)];
    const { token } = await first.createToken({
      name: "n",
      scopes: ["read", "read", "chat"],
      expiresAt: clock.now() + DAY,
    });
    first[Symbol.dispose]();
    expect(one.credential.gone.aborted).toBe(true);
    expect(kept(home).tokens[0]?.scopes).toEqual(["read", "chat"]);
    using second = auth(clock, home);
    expect(second.browser(one.cookie, one.key)).toMatchObject({ id: one.credential.id, kind: "browser" });
    expect(second.bearer(token)).toMatchObject({ kind: "token", name: "n", expiresAt: clock.now() + DAY });
    expect(second.bearer(first.localToken)).toBe("invalid");
    expect(second.bearer("")).toBe("invalid");
    second[Symbol.dispose]();
    await clock.advance(HOUR);
    using third = auth(clock, home);
    expect([third.browsers(), kept(home).browsers]).toEqual([[], [expect.anything(), expect.anything()]]);
    expect(third.browser(two.cookie, two.key)).toBe("expired");
    expect(third.browser(two.cookie, two.key)).toBe("invalid");
    await third.openBrowser(client); // with it goes what nobody came back for
    expect(kept(home).browsers).toHaveLength(1);
  });

  test("a secret that was exchanged ends at its grace time with what it had open; the one before it at once", async () => {
    const clock = fakeClock();
    const home = place();
    using store = auth(clock, home);
    const { id, token: first } = await store.createToken({ name: "n", scopes: ["read"] });
    const second = (await store.rotateToken(id, 2 * MINUTE)) ?? "";
    const third = (await store.rotateToken(id, MINUTE)) ?? "";
    expect(store.bearer(first)).toBe("invalid");
    const old = store.bearer(second);
    const fresh = store.bearer(third);
    expect(old).toMatchObject({ expiresAt: clock.now() + MINUTE });
    expect(fresh).not.toHaveProperty("expiresAt");
    await clock.advance(MINUTE);
    expect(store.bearer(second)).toBe("invalid");
    expect([(old as Credential).gone.aborted, (fresh as Credential).gone.aborted]).toEqual([true, false]);
    const last = (await store.rotateToken(id, 0)) ?? "";
    expect((fresh as Credential).gone.aborted).toBe(true);
    expect(kept(home).tokens[0]).not.toHaveProperty("previous");
    const newest = (await store.rotateToken(id, HOUR)) ?? "";
    const [open, before] = [store.bearer(newest) as Credential, store.bearer(last) as Credential];
    expect([await store.revokeToken("other"), await store.revokeToken(id), await store.revokeToken(id)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([open.gone.aborted, before.gone.aborted]).toEqual([true, true]);
    expect([newest, last].map((secret) => store.bearer(secret))).toEqual(["invalid", "invalid"]);
    expect(await store.rotateToken(id, 0)).toBeUndefined();
  });

  test("a new password ends every login but the one that set it, and what they had open", async () => {
    using store = auth(fakeClock(), place());
    const [one, two] = [await store.openBrowser(client), await store.openBrowser(client)];
    expect(store.hasPassword()).toBe(false);
    await store.setPassword(PASSWORD, one.credential.id);
    expect([store.hasPassword(), await store.checkPassword(PASSWORD)]).toEqual([true, true]);
    expect([one.credential.gone.aborted, two.credential.gone.aborted]).toEqual([false, true]);
    await expect(store.setPassword("short")).rejects.toMatchObject({ code: "auth.weak-password" });
    expect([await store.closeBrowser("other"), await store.closeBrowser(one.credential.id)]).toEqual([false, true]);
    expect(one.credential.gone.aborted).toBe(true);
  });

  test("a damaged auth.json stops the start and says what to do", async () => {
    const made = margay();
    made.configure({});
    for (const text of [
      "{",
      '{"version":2,"tokens":[],"browsers":[]}',
      '{"version":1,"tokens":[{"id":1}],"browsers":[]}',
    ]) {
      writeFileSync(join(made.home, "auth.json"), text, { mode: 0o600 });
      const { code, err } = await made.run(["gateway", "--no-open", "--port", "0"]);
      expect({ code, err }).toMatchObject({ code: 78 });
      expect(err).toContain("auth.json of the state directory is damaged");
      expect(err).toContain("Remove it to start without logins and tokens.");
      expect(readFileSync(join(made.home, "auth.json"), "utf8")).toBe(text);
    }
  });
});

describe("whom a proxy vouches for", () => {
  const proxyAuth = { peers: ["127.0.0.1/32"], header: "Remote-User", users: ["ada", "bob"] };
  const asks = async (
    { port }: TestGateway,
    path: string,
    { user = "ada", body }: { readonly user?: string; readonly body?: object } = {},
  ): ReturnType<typeof sendRaw> => {
    const headers = { "remote-user": user, origin: `http://127.0.0.1:${port}`, "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    return sendRaw(port, requestText(port, method, `/api/v1${path}`, headers, body && JSON.stringify(body)));
  };

  test("acts as owner for ten minutes after a proof of their own, and nobody else with them", async (t) => {
    const clock = fakeClock();
    const gateway = await startGateway(t, { clock, config: { gateway: { proxyAuth } } });
    await gateway.gateway.auth.setPassword(PASSWORD);
    const make = (user: string) => asks(gateway, "/auth/tokens", { user, body: { name: "x", scopes: ["read"] } });
    expect((await make("ada")).text).toContain("auth.fresh-required");
    const proof = await asks(gateway, "/auth/confirm", { body: { password: PASSWORD } });
    expect(proof.text).toContain(`"freshUntil":${clock.now() + 10 * MINUTE}`);
    expect((await make("ada")).status).toBe(201);
    expect((await make("bob")).text).toContain("auth.fresh-required");
    expect((await asks(gateway, "/auth/state")).text).toContain('"owner"');
    await clock.advance(10 * MINUTE);
    expect((await make("ada")).text).toContain("auth.fresh-required");
    expect((await asks(gateway, "/auth/tokens")).status).toBe(200);
    // A person of theirs, not the operator's name: a header that comes twice is nobody's.
    expect((await asks(gateway, "/auth/tokens", { user: "" })).status).toBe(401);
  });
});

describe("what a browser sends", () => {
  test("the first cookie of our name counts, whatever stands around it", async (t) => {
    const gateway = await startGateway(t);
    const { cookie, key } = await logIn(gateway);
    const [name = "", value = ""] = cookie.split("=");
    const status = async (sent: string): Promise<number> =>
      (await browserOf(gateway, sent, key).api("/auth/tokens", { headers: { cookie: sent } })).status;
    expect(await status(`a=b; ${cookie};c`)).toBe(200);
    expect(await status(`${cookie}; ${name}=other`)).toBe(200);
    expect(await status(`${name}=other; ${cookie}`)).toBe(401);
    expect(await status(`x${cookie}`)).toBe(401);
    expect(await status(`${name}=${value}=`)).toBe(401);
    expect(await status(`${name.toUpperCase()}=${value}`)).toBe(401);
    // Without its key the cookie is nobody, and still what another site can make a browser send.
    const alone = { method: "POST", body: {}, token: null, headers: { cookie } };
    expect((await gateway.api("/auth/tokens", alone)).body.code).toBe("origin.refused");
  });

  test("who is refused is told how to come in, by the words of the protocol", async (t) => {
    const gateway = await startGateway(t);
    const challenge = async (token: string | null): Promise<readonly unknown[]> => {
      const { status, body, headers } = await gateway.api("/auth/tokens", { token });
      return [status, body.code, headers.get("www-authenticate")];
    };
    expect(await challenge(null)).toEqual([401, "auth.required", 'Bearer realm="margay"']);
    expect(await challenge("x")).toEqual([401, "auth.invalid", 'Bearer realm="margay"']);
    const lower = await gateway.api("/auth/tokens", {
      token: null,
      headers: { authorization: `bearer ${gateway.token("admin")}` },
    });
    expect(lower.status).toBe(200);
  });
});
