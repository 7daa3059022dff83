import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
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
