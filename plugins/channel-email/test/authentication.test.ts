import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAuthentic, parseAuthenticationResults } from "../src/authentication.ts";
import type { Header } from "../src/headers.ts";
import { fixture } from "./fixtures.ts";

const FROM = "anna@example.org";

function ask(
  results: readonly string[],
  more: { readonly trusted?: string; readonly from?: readonly string[] } = {},
): boolean {
  const headers: Header[] = [
    ...results.map((value) => ({ key: "authentication-results", value })),
    ...(more.from ?? [`Anna Example <${FROM}>`]).map((value) => ({ key: "from", value })),
  ];
  return isAuthentic({ headers, from: FROM, ...(more.trusted !== undefined && { trustedAuthserv: more.trusted }) });
}

describe("what receiving servers say", () => {
  test.each([
    "mx.test; dmarc=pass header.from=example.org",
    "mx.test 1; dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=EXAMPLE.org",
    "mx.test;\r\n\tspf=pass (domain of anna@example.org) smtp.mailfrom=anna@example.org;\r\n\tdkim=none",
    "mx.test; spf=pass smtp.mailfrom=example.org; dmarc=none header.from=example.org",
    'mx.test; dkim=pass header.d=example.org header.s=sel header.b="a=b;c"',
    "mx.test; dkim=fail header.d=example.org; dkim=pass (2048-bit key) header.i=@example.org",
    "mx.test; dkim=pass header.d=mail.example.org",
    "spf=pass (sender IP is 192.0.2.7) smtp.mailfrom=example.org; dmarc=pass action=none header.from=example.org",
    'mx.test; dkim = pass reason="good; dmarc=fail" header.d = example.org',
  ])("CH213 %j admits anna@example.org", (value) => {
    expect(ask([value])).toBe(true);
  });

  test("CH213 a From below the domain that signed is of the same organization", () => {
    const headers = [
      { key: "from", value: "<anna@dept.example.org>" },
      { key: "authentication-results", value: "mx.test; dkim=pass header.d=example.org" },
    ];
    expect(isAuthentic({ headers, from: "anna@dept.example.org" })).toBe(true);
  });

  test.each([
    "",
    "mx.test",
    "mx.test; none",
    "mx.test; dmarc=fail header.from=example.org; spf=pass smtp.mailfrom=example.org",
    "mx.test; dmarc=temperror; dkim=pass header.d=example.org",
    "mx.test; dmarc=pass header.from=evil.example",
    "mx.test; spf=pass smtp.mailfrom=anna@evil.example; dkim=pass header.d=evil.example",
    "mx.test; spf=softfail smtp.mailfrom=example.org; dkim=neutral header.d=example.org",
    "mx.test; spf=pass smtp.helo=example.org",
    "mx.test; dkim=pass header.d=org",
    "mx.test; dkim=pass header.d=notexample.org",
    "mx.test; dkim=pass header.d=example.org.evil.example",
    "mx.test; dkim=pass header.d=evil.example header.d=example.org",
    "mx.test; arc=pass header.d=example.org",
    "mx.test; dkim=pass header.i=@evil.example (header.d=example.org)",
    "mx.test; dkim=pass (nothing)",
    "mx.test; (dmarc=pass header.from=example.org)",
    'mx.test; spf=fail smtp.mailfrom="x; dmarc=pass header.from=example.org"@evil.example',
    "mx.test; spf=fail (domain of \\); dmarc=pass) smtp.mailfrom=x@evil.example",
    'mx.test; dkim=fail reason="\\"; dmarc=pass" header.d=evil.example',
    "mx.test; dmarc=fail header.from=example.org; spf=fail smtp.mailfrom=x; dmarc=pass header.from=example.org",
    "mx.test; dmarc=pass (never closed",
    'mx.test; dmarc=pass header.from="example.org',
    "two words; dmarc=pass",
    "mx.test; dmarc=passed",
    "mx.test; dmarc.pass=pass",
  ])("CH213 %j does not", (value) => {
    expect(ask([value])).toBe(false);
  });

  test("CH213 Gmail and Outlook as they are", async () => {
    const gmail = await fixture("gmail-reply");
    expect(isAuthentic({ headers: gmail.headers, from: FROM, trustedAuthserv: "mx.google.com" })).toBe(true);
    expect(isAuthentic({ headers: gmail.headers, from: FROM, trustedAuthserv: "mx.other.test" })).toBe(false);
    expect(isAuthentic({ headers: gmail.headers, from: FROM })).toBe(true);
    const outlook = await fixture("outlook-web");
    expect(isAuthentic({ headers: outlook.headers, from: FROM })).toBe(true);
  });
});

describe("who may say it", () => {
  const PASS = "mx.test; dmarc=pass header.from=example.org";
  const FAIL = "mx.test; dmarc=fail header.from=example.org";

  test("CH213 a header that the sender put below the server's counts for nothing", () => {
    expect(ask([FAIL, PASS], { trusted: "mx.test" })).toBe(false);
    expect(ask([FAIL, PASS])).toBe(false);
    expect(ask([PASS, FAIL], { trusted: "mx.test" })).toBe(true);
  });

  test("CH213 headers of others above the server's are stepped over only when its name is known", () => {
    const relay = "relay.test; dmarc=pass header.from=example.org";
    expect(ask([relay, FAIL], { trusted: "mx.test" })).toBe(false);
    expect(ask([relay.replace("pass", "fail"), PASS], { trusted: "mx.test" })).toBe(true);
    expect(ask([relay.replace("pass", "fail"), PASS])).toBe(false);
  });

  test.each([
    "mx.test.evil.example",
    "xmx.test",
    "mx.test.",
    "mx-test",
    "mх.test",
    "(mx.test) evil.example",
    '"mx.test "',
  ])("CH213 %j is not mx.test", (id) => {
    expect(ask([`${id}; dmarc=pass header.from=example.org`], { trusted: "mx.test" })).toBe(false);
  });

  test("CH213 mx.test is mx.test in capitals, quotes and with a comment", () => {
    for (const id of ["MX.Test", '"mx.test"', "(hello) mx.test (world)"])
      expect(ask([`${id}; dmarc=pass header.from=example.org`], { trusted: "MX.test" })).toBe(true);
  });

  test("CH213 what cannot be read is not stepped over", () => {
    expect(ask(["mx.test; dmarc=fail (", PASS], { trusted: "mx.test" })).toBe(false);
  });

  test.each<[what: string, from: readonly string[]]>([
    ["none", []],
    ["two From headers", [`<${FROM}>`, "<eve@evil.example>"]],
    ["two addresses", [`<${FROM}>, <eve@evil.example>`]],
    ["a group", [`friends: ${FROM};`]],
    ["two brackets", [`<${FROM}> <eve@evil.example>`]],
    ["another address", ["<eve@example.org>"]],
    ["the address as a name", [`"${FROM}" <eve@evil.example>`]],
    ["the address in a comment", [`eve@evil.example (${FROM})`]],
    ["a name that is not closed", [`"Anna <${FROM}>`]],
    ["nothing", [""]],
  ])("CH213 From with %s admits nobody", (_, from) => {
    expect(ask([PASS], { from })).toBe(false);
  });

  test("CH213 From with a quoted name, a comment, another case", () => {
    for (const from of [
      `"Example, Anna" <${FROM}>`,
      `${FROM} (Anna, of <Example>)`,
      "安娜 <Anna@Example.ORG>",
      "=?utf-8?B?5a6J?= <anna@example.org>",
    ])
      expect(ask([PASS], { from: [from] })).toBe(true);
  });
});

test("CH213 nothing that a sender can write into a comment or a quoted string changes what is read", () => {
  const plain = parseAuthenticationResults(
    "mx.test; spf=fail smtp.mailfrom=x@evil.example; dmarc=fail header.from=example.org",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
      const inside = text.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/[()\\"]/g, "\\$&");
      expect(
        parseAuthenticationResults(
          `mx.test; spf=fail (${inside}) smtp.mailfrom=x@evil.example; (${inside}) dmarc=fail header.from=example.org`,
        ),
      ).toEqual(plain);
      expect(ask([`mx.test; spf=pass smtp.mailfrom="${inside}"@evil.example`])).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("CH213 no header throws, and random ones admit nobody", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (value, from) => {
      expect(ask([value])).toBe(false);
      expect(ask(["mx.test; dmarc=pass"], { from: [from] })).toBe(false);
    }),
    { numRuns: 500 },
  );
});
