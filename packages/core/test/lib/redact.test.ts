import { expect, test } from "vitest";
import { createRedactor, redactShapes } from "../../src/lib/secrets/redact.ts";
import { cpuOf } from "../../src/testing/cpu.ts";

const secret = "pa$$w0rd+/= «ü» hunter2";

test.each([0, 1, 2, 3, 4, 5])(
  "SE6 R402 a known value is found raw and in base64, base64url, URL and hex form, %i bytes into the encoded text",
  (offset) => {
    const { redact } = createRedactor([secret]);
    const padded = Buffer.from(`${"a".repeat(offset)}${secret}tail`);
    const plain = Buffer.from(secret);
    const forms = [
      secret,
      JSON.stringify(secret),
      padded.toString("base64"),
      padded.toString("base64url"),
      padded.toString("hex"),
      padded.toString("hex").toUpperCase(),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      new URLSearchParams({ q: secret }).toString(),
      [...plain].map((byte) => `%${byte.toString(16)}`).join(""),
    ];
    for (const form of forms) {
      const clean = redact(`before ${form} after`);
      expect([form, clean.startsWith("before "), clean.endsWith(" after"), clean.includes("[redacted]")]).toEqual([
        form,
        true,
        true,
        true,
      ]);
      for (const leak of ["hunter2", Buffer.from("hunter2").toString("hex")]) expect(clean).not.toContain(leak);
    }
  },
);

test.each([
  ["OpenAI", "sk-proj-abcdefghijklmnopqrstuvwxyz012345"],
  ["Anthropic", "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWx"],
  ["AWS", "AKIAIOSFODNN7EXAMPLE"],
  ["GitHub", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
  ["GitHub fine-grained", "github_pat_11ABCDEFG0abcdefghijklmnop"],
  ["Slack", ["xoxb", "123456789012", "abcdefghijkl"].join("-")],
  ["Google", "AIzaSyA1234567890abcdefghijklmnopqrstuv"],
  ["Telegram", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"],
  ["JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"],
  ["private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----"],
  ["cut private key", "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA"],
])("SE6 %s credentials are known by their shape", (_name, credential) => {
  expect(redactShapes(`a ${credential}`)).toBe("a [redacted]");
});

test("SE6 headers and URLs keep what is not secret", () => {
  expect(redactShapes("Authorization: Bearer abcdefghijklmnop.qrstuv")).toBe("Authorization: Bearer [redacted]");
  expect(redactShapes('{"x-api-key": "abcdefgh12345678"}')).toBe('{"x-api-key": "[redacted]"}');
  expect(redactShapes("postgres://ada:s3cr3t!@db.local/x")).toBe("postgres://ada:[redacted]@db.local/x");
});

test("ordinary text, paths, hashes and code stay as they are", () => {
  const text =
    "const task = disk-usage; see https://example.org/a:b?c=d, ask-me-anything-later-please, 2026-11-21T10:00:00, sk-short, e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, user@example.org, http://localhost:8080/@scope";
  expect(redactShapes(text)).toBe(text);
  expect(createRedactor(["short", "       "]).redact("short and       spaces")).toBe("short and       spaces");
});

test("a value registered later is found from then on, inside JSON keys and values too; redaction is idempotent", () => {
  const redactor = createRedactor();
  expect(redactor.redact("my-token-value")).toBe("my-token-value");
  redactor.register("my-token-value");
  const clean = redactor.redactJson({ "my-token-value": ["my-token-value", 1, null, { deep: "x my-token-value" }] });
  expect(clean).toEqual({ "[redacted]": ["[redacted]", 1, null, { deep: "x [redacted]" }] });
  expect(redactor.redactJson(clean)).toEqual(clean);
});

test("redaction takes time in proportion to the text", async () => {
  const { redact } = createRedactor([secret]);
  const hostile = [
    "-----BEGIN PRIVATE KEY-----".repeat(8_000),
    "eyJ".repeat(60_000),
    "a://".repeat(50_000),
    "Bearer ".repeat(30_000),
    "sk-".repeat(60_000),
  ];
  for (const text of hostile) {
    expect(await cpuOf(() => redact(text))).toBeLessThan(2_000); // seconds when a pattern backtracks, milliseconds when not
  }
});

test("SE6 a redactor that knows no value takes out what has the shape of a key", () => {
  const key = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4".repeat(2).slice(0, 36)}`;
  expect(createRedactor().redact(`token ${key} end`)).not.toContain(key);
});
