import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/contract/base.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { openViewFiles } from "../../src/journal/view-files.ts";
import { temporaryFolder } from "../support/folder.ts";

test("view-files/MAX_LINE_BYTES: 65,536 bytes of a first line are read", async () => {
  await using folder = await temporaryFolder();
  const views = openViewFiles(folder.path);
  for (const size of [65_536, 65_537]) {
    writeFileSync(folder.at("view"), "l".repeat(size));
    expect(await views.head("view")).toEqual({ line: "l".repeat(65_536), size });
  }
});

test("directory/TAIL_BYTES: the last commit is known by a line of 65,536 bytes, not by a longer one", async () => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.path);
  const id = "chat-1" as SessionId;
  const line = (seq: number, size: number): string => {
    const head = `{"crc":"00000000","seq":${seq},`;
    return `${head}${"x".repeat(size - head.length - 1)}\n`;
  };
  // The end of the line before is looked at too: it says where the line begins.
  for (const [size, known] of [
    [65_535, true],
    [65_536, false],
  ] as const) {
    writeFileSync(folder.at(`${id}.journal`), line(1, 100) + line(2, size));
    expect([size, (await journals.stampAt(id, 2)) !== undefined, await journals.stampAt(id, 1)]).toEqual([
      size,
      known,
      undefined,
    ]);
  }
  for (const [size, known] of [
    [65_536, true],
    [65_537, false],
  ] as const) {
    writeFileSync(folder.at(`${id}.journal`), line(1, size));
    expect([size, (await journals.stampAt(id, 1)) !== undefined]).toEqual([size, known]);
  }
});
