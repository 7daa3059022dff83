// Which pictures of another system's chats are taken: at n bytes, and at one more.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { picturesOf } from "../../src/features/import-home/sessions.ts";
import type { Source } from "../../src/features/import-home/source.ts";

const MAX = 25 * 1024 * 1024;

test("sessions/MAX_BYTES: a picture of 25 MiB is taken, a byte more is not, as a file or in a row", () => {
  const folder = mkdtempSync(join(tmpdir(), "margay-pictures-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const seen = new Set<string>();
  const pictures = picturesOf({ seen } as Source); // nothing else of it is asked for
  const file = (bytes: number): boolean => {
    const path = join(folder, `${bytes}.png`);
    writeFileSync(path, "");
    truncateSync(path, bytes);
    return pictures.ofFile(path) !== undefined;
  };
  expect([file(MAX), file(MAX + 1)]).toEqual([true, false]);
  expect([...seen]).toEqual([join(folder, `${MAX}.png`)]); // the other is named as left over
  const row = (bytes: number): boolean =>
    pictures.ofBase64(Buffer.alloc(bytes).toString("base64"), "image/png") !== undefined;
  expect([row(MAX), row(MAX + 1)]).toEqual([true, false]);
});
