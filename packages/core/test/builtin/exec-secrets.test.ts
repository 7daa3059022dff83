import { expect, test } from "vitest";
import { createCapture, formatOutput } from "../../src/builtin/exec/output.ts";

const SECRET = "sk-secret-1234567890";
const redact = (text: string): string => text.replaceAll(SECRET, "[redacted]");

test.each([40, 400, 3_000, 200_000])(
  "SE6 EX13 output of %i secrets shows none and no half of one, wherever it is cut",
  (count) => {
    for (const width of [0, 1, 7, 13]) {
      const line = `${"x".repeat(width)} ${SECRET}\n`;
      const stdout = createCapture(1_000, redact);
      const stderr = createCapture(1_000, redact);
      // In pieces of another length than a line.
      const bytes = Buffer.from(line.repeat(Math.min(count, 5_000)));
      for (let at = 0; at < bytes.length; at += 777) stdout.push(bytes.subarray(at, at + 777));
      stdout.end();
      stderr.end();
      const shown = formatOutput(stdout, stderr, 1_000);
      expect(shown).not.toMatch(/sk-|567890|secret-/);
      expect(shown.length).toBeLessThan(1_100);
    }
  },
);

test("SC43 SE6 a secret that is cut where output was passed over does not come through in half, on either side", () => {
  const half = Math.floor(SECRET.length / 2);
  const stdout = createCapture(400_000, redact);
  const stderr = createCapture(400_000, redact);
  stdout.push(Buffer.from(`first\n${"y".repeat(100_000)}${SECRET.slice(0, half)}`));
  stdout.skip(5_000);
  stdout.push(Buffer.from(`${SECRET.slice(half)}${"z".repeat(100_000)}${SECRET}\nlast\n`));
  stdout.end();
  stderr.end();
  const shown = formatOutput(stdout, stderr, 400_000);
  expect(shown).toMatch(/^first\ny+\n… \d+ characters and 5000 more bytes left out …\nz+\[redacted\]\nlast\n$/);
  const [, left] = /… (\d+) /.exec(shown) ?? [];
  const kept = shown.length - (/\n….*…\n/.exec(shown)?.[0].length ?? 0);
  expect(Number(left) + kept).toBe(200_000 + 2 * SECRET.length + "first\n\nlast\n".length);
});

test("SE6 EX13 secrets so long that little is left beside them: none is seen in half, wherever it is cut", () => {
  const long = `sk-secret-${"1234567890".repeat(30)}`;
  for (const width of [0, 1, 7, 13, 150]) {
    const stdout = createCapture(1_000, (text) => text.replaceAll(long, "[redacted]"));
    const stderr = createCapture(1_000);
    stdout.push(Buffer.from(`${"x".repeat(width)} ${`${long}\n`.repeat(1_000)}`));
    stdout.end();
    expect(formatOutput(stdout, stderr, 1_000)).not.toMatch(/sk-|567890|secret-/);
  }
});

test("SC43 a character that begins before what was passed over, or in it, is none of what follows", () => {
  const capture = createCapture(100_000);
  const bytes = Buffer.from("日本語");
  capture.push(bytes.subarray(0, 4));
  capture.skip(1);
  expect(capture.push(bytes.subarray(5))).toBe("語");
  capture.end();
  // The second character is neither: its first byte was shown as one that belongs to none, its last is counted as passed over.
  expect([capture.total, capture.skipped]).toEqual(["日\ufffd語".length, 2]);
});
