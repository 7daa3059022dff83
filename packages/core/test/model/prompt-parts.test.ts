import { expect, test } from "vitest";
import type { MediaPart } from "../../src/contract/message.ts";
import { createMediaReader } from "../../src/model/wire/media.ts";
import { resolveQuirks } from "../../src/model/quirks.ts";

const BYTES = 6.5 * 1024 * 1024; // two of them are more than is kept

test("R179 of images that are too large to keep together the newer one is kept", async () => {
  const reads: string[] = [];
  const read = createMediaReader(resolveQuirks({}, "anthropic.messages"))(({ sha256 }) => {
    reads.push(sha256);
    return Promise.resolve(new Uint8Array(BYTES));
  });
  const image = (sha256: string): MediaPart => ({
    type: "media",
    mediaType: "image/png",
    blob: { sha256, bytes: BYTES },
  });
  for (const name of ["old", "new", "new"]) await read(image(name));
  expect(reads).toEqual(["old", "new"]);
});
