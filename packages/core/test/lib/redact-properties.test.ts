import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/lib/secrets/redact.ts";

const PLANTED = "Pl4nted-Secret/with+odd=chars";
const SPACED = "correct horse «battery» 42";
const redactor = createRedactor([PLANTED, SPACED]);

/** What somebody who holds the output would look for, at each alignment of base64. */
const needles = [PLANTED, SPACED].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ "": secret }).toString().slice(1),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("hex").toUpperCase(),
  JSON.stringify(secret).slice(1, -1),
  ...[0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.from(`${"\0".repeat(shift)}${secret}`)
      .toString("base64")
      .replaceAll("=", "");
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, -1);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  }),
]);

const encoded = fc
  .tuple(fc.constantFrom(PLANTED, SPACED), fc.nat({ max: 9 }), fc.nat({ max: 2 }))
  .map(([secret, form, shift]) => {
    const padded = Buffer.from(`${"x".repeat(shift)}${secret}yz`);
    const forms = [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      new URLSearchParams({ q: secret }).toString(),
      padded.toString("base64"),
      padded.toString("base64url"),
      padded.toString("hex"),
      padded.toString("hex").toUpperCase(),
      JSON.stringify({ deep: [secret] }),
    ];
    return forms[form] ?? secret;
  });
const around = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(" ", "key=", "中文，", "https://", "Bearer ", "sk-", "-----BEGIN ", "\n\n", '{"a":"'),
);

function leaks(text: string): readonly string[] {
  return needles.filter((needle) => text.includes(needle));
}

test("SE6 R282 a planted value in any form, anywhere in a text, never leaves it", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(around, encoded, around), { minLength: 1, maxLength: 4 }), (pieces) => {
      expect(leaks(redactor.redact(pieces.flat().join("")))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("SE6 R282 a planted value that comes in any pieces never leaves; what is not held back is the text itself", () => {
  fc.assert(
    fc.property(
      around,
      encoded,
      around,
      fc.array(fc.nat({ max: 160 }), { maxLength: 12 }),
      (before, secret, after, cuts) => {
        const text = `${before}${secret}${after}`;
        const at = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
        const stream = redactor.stream();
        let out = "";
        let from = 0;
        for (const to of [...at, text.length]) {
          out += stream.push(text.slice(from, to));
          from = to;
        }
        out += stream.end();
        expect(leaks(out)).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  ["a key of OpenAI", "sk-proj-abcdefghijklmnopqrstuvwxyz012345"],
  ["a token of GitHub", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
  ["a bearer", "Authorization: Bearer abcdef0123456789abcdef"],
  ["a bot token", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"],
  ["a password", 'password: "hunter2hunter2"'],
  ["a password in a URL", "postgres://ada:s3cr3t-pass@db.local/x"],
  ["a private key", `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqh\n".repeat(90)}-----END PRIVATE KEY-----`],
  ["a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"],
  ["a token of ours", "mgy_abcdefghijklmnopqrstuv0123456789_abcdef"],
  ["密码", "密码：abc12345def"],
])("SE6 %s cut at any place is what it is as a whole", (_name, credential) => {
  const text = `before ${credential} after`;
  const whole = redactor.redact(text);
  expect(whole).toContain("[redacted]");
  for (let at = 1; at < text.length; at += 1) {
    const stream = redactor.stream();
    expect(stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.end()).toBe(whole);
  }
  const single = redactor.stream();
  expect([...text].map((character) => single.push(character)).join("") + single.end()).toBe(whole);
});

const HARMLESS: readonly string[] = [
  "const token = await getToken2(options); let password: string; password = input.value1; secret ??= read1();",
  'function f(apiKey: string, token = "", secret: readonly string[] = []): void { headers["x-api-key"] = keyOf(a1); }',
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "550e8400-e29b-41d4-a716-446655440000 01890a5d-ac96-774b-bcce-b302099a8057 sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "npm_config_registry npm_package_devDependencies_typescript hf_transformers_model_name_long sk-fading-circle-container",
  "Basic understanding of authentication, Bearer authentication-required for everyone; the password is asked for later",
  "密码登录已关闭。请输入密码。他说密码是对的，我们明天再谈。",
  "敏捷的棕色狐狸跳过懒狗。他在 2026-11-21T10:00:00 说：“好的。” 12:30:45 到 13:45",
  "https://example.org/a:b?c=d http://localhost:8080/@scope git@github.com:owner/repo.git 2001:db8::1 10.0.0.1:8080",
  '{"password": null, "token": "", "secret": true, "apiKey": "${OPENAI_API_KEY}", "x": "AKIA", "y": "eyJ.a.b"}',
  "export PASSWORD=$DB_PASSWORD; curl -u user: https://example.org; make TOKEN= test; <input type=password name=password>",
  "```diff\n- const secretName = `db-${name}`;\n+ const tokenCount = 1024;\n```",
  `data:image/png;base64,${Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7919 + (index >> 3)) & 255)).toString("base64")}`,
];

test("SE6 harmless text stays byte for byte: code, hashes, UUIDs, images, Chinese; whole and in pieces", () => {
  const changed = HARMLESS.filter((text) => redactor.redact(text) !== text);
  expect(changed).toEqual([]);
  for (const text of HARMLESS) {
    const stream = redactor.stream();
    const pieces = text.match(/[\s\S]{1,7}/gu) ?? [];
    expect(pieces.map((piece) => stream.push(piece)).join("") + stream.end()).toBe(text);
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 4_000 }), fc.uuid(), (bytes, uuid) => {
      const buffer = Buffer.from(bytes);
      const text = `${buffer.toString("base64")} ${buffer.toString("hex")} ${uuid}`;
      expect(redactor.redact(text)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test("SE6 a megabyte is redacted in a small multiple of reading it, hostile or not", () => {
  const keys = Array.from({ length: 12 }, (_, index) => `${index}-planted-${"Ab0".repeat(9)}-${index}`);
  const { redact, stream } = createRedactor(keys);
  const megabytes = [
    ...HARMLESS.map((text) => text.repeat(Math.ceil(1_048_576 / text.length)).slice(0, 1_048_576)),
    ...["a", "sk-", "eyJ", "a://", "password=", "-----BEGIN PRIVATE KEY-----", "1:", "token:"].map((text) =>
      text.repeat(Math.ceil(1_048_576 / text.length)).slice(0, 1_048_576),
    ),
  ];
  for (const text of megabytes) {
    // The floor reads each character once; a ratio holds on a loaded machine, milliseconds do not.
    const floor = fastest(() => hash(text));
    expect([text.slice(0, 30), fastest(() => redact(text)) < 120 * floor]).toEqual([text.slice(0, 30), true]);
    const grown = stream();
    grown.push(text);
    grown.end();
  }
});

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

function fastest(work: () => unknown): number {
  let best = Infinity;
  for (let run = 0; run < 4; run += 1) {
    const before = performance.now();
    work();
    best = Math.min(best, performance.now() - before);
  }
  return best;
}
