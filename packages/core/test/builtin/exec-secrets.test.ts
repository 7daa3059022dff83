import { expect, test } from "vitest";
import { createCapture, formatOutput } from "../../src/builtin/exec-output.ts";

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
