// The pure parts of the server: JSON of strangers, addresses, codes and passwords.
import { fakeClock } from "@margay/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createCodes } from "../../src/host/auth/codes.ts";
import { createLockout } from "../../src/host/auth/lockout.ts";
import { acceptablePassword } from "../../src/host/auth/password.ts";
import { clientAddress, clientKey } from "../../src/host/http/address.ts";
import { parseJsonText } from "../../src/host/http/json.ts";
import { createTable } from "../../src/host/http/table.ts";
import { Problem } from "../../src/host/api/problem.ts";
import { WORKSPACE_ROUTES } from "../../src/features/workspace/routes.ts";

const HELD = new Set(["__proto__", "constructor", "prototype"]);

function isRefused(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, one]) => HELD.has(key) || !key.isWellFormed() || isRefused(one));
}

/** As JSON again, or the code with which it was refused. */
function readAgain(text: string): string {
  try {
    return JSON.stringify(parseJsonText(text));
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
}

test("what JSON.parse reads is read the same, but for what is never accepted", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(4), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(readAgain(text)).toBe(isRefused(value) ? "request.malformed" : JSON.stringify(value));
    }),
    { numRuns: 500 },
  );
});

test("a key that comes twice is found wherever it stands, and colons in texts are none", () => {
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (name, rest) => {
      const key = JSON.stringify(`${name}:`.toWellFormed());
      const others = Object.entries(rest)
        .filter(([one]) => one !== `${name}:` && !HELD.has(one))
        .map(([one, text]) => `${JSON.stringify(one.toWellFormed())}:${JSON.stringify(text.toWellFormed())}`);
      const once = `{"a":[{${[`${key}:1`, ...others].join(",")}}]}`;
      const twice = `{"a":[{${[`${key}:1`, ...others, `${key}:2`].join(",")}}]}`;
      expect(() => parseJsonText(once)).not.toThrow();
      expect(() => parseJsonText(twice)).toThrow("a key comes twice");
    }),
    { numRuns: 300 },
  );
});

test("objects inherit nothing", () => {
  const [inner, outer] = parseJsonText('[{"a":1},{"b":{}}]') as readonly Readonly<Record<string, unknown>>[];
  expect(Object.getPrototypeOf(inner)).toBeNull();
  expect(Object.getPrototypeOf(outer?.["b"])).toBeNull();
  expect(inner?.["toString"]).toBeUndefined();
});

test("of two routes with one id, or one method at one path, neither hides the other: there is no table", () => {
  const [one] = WORKSPACE_ROUTES;
  if (one === undefined) throw new Error("there is no route");
  expect(() => createTable([one, { ...one, path: "/elsewhere" }])).toThrow("is in the table already");
  expect(() => createTable([one, { ...one, id: "another" }])).toThrow("is in the table already");
  expect(() => createTable([one, { ...one, id: "another", method: "PUT" }])).not.toThrow();
});

test("an IPv6 client is counted by the network that a subscriber gets", () => {
  expect(clientKey("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2");
  expect(clientKey("2001:db8:1:2::9")).toBe("2001:db8:1:2");
  expect(clientKey("2001:0db8:0001:0002::")).toBe("2001:db8:1:2");
  expect(clientKey("::1")).toBe("0:0:0:0");
  expect(clientKey("203.0.113.9")).toBe("203.0.113.9");
  expect(clientAddress("::ffff:203.0.113.9", undefined, [])).toBe("203.0.113.9");
  expect(clientAddress("10.0.0.1", "not an address", ["10.0.0.0/8"])).toBe("10.0.0.1");
  // Without a prefix it is one address, and its neighbour is a client like any other.
  for (const [proxy, beside] of [
    ["10.0.0.4", "10.0.0.5"],
    ["fd00::4", "fd00::5"],
  ] as const) {
    expect(clientAddress(proxy, "203.0.113.9", [proxy])).toBe("203.0.113.9");
    expect(clientAddress(beside, "203.0.113.9", [proxy])).toBe(beside);
  }
});

test("fifty wrong passwords in an hour switch passwords off for a quarter of an hour, codes not", async () => {
  const clock = fakeClock();
  const lockout = createLockout(clock);
  for (let count = 0; count < 50; count++) lockout.failed(`203.0.113.${count}`, "password");
  expect(() => lockout.check("198.51.100.1", "password")).toThrow("Too many wrong attempts");
  expect(() => lockout.check("198.51.100.1", "code")).not.toThrow();
  await clock.advance(15 * 60_000);
  expect(() => lockout.check("198.51.100.1", "password")).not.toThrow();
});

test("a code is taken however it is typed, once", () => {
  const codes = createCodes(fakeClock());
  const { code } = codes.mint("login");
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(codes.redeem("confirm", code)).toBe("wrong");
  const typed = code.toLowerCase().replaceAll("0", "o").replaceAll("1", "l");
  expect(codes.redeem("login", ` ${typed.slice(0, 13)}-${typed.slice(13)} `)).toBe("ok");
  expect(codes.redeem("login", code)).toBe("used");
});

test("long passphrases of every script are accepted", () => {
  for (const one of ["correct donkey paperclip sky", "我喜欢在雨天喝绿茶", "Ωραία μέρα για περπάτημα", "t7#Kq!m2Zp9w"])
    expect(acceptablePassword(one)).toBe(one.normalize("NFKC"));
});
