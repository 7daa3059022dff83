// A name that became a link between two looks: what opens it says so. No race is needed to see it.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openChild, openDirectory } from "../../src/platform/open-directory.ts";
import { openFile } from "../../src/platform/open-file.ts";
import { temporaryFolder } from "../support/folder.ts";

test.skipIf(process.platform === "win32")("FS2 neither a directory nor a file is opened through a link", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("real"));
  writeFileSync(folder.at("real", "file"), "x");
  symlinkSync("real", folder.at("directory"));
  symlinkSync("real/file", folder.at("file"));
  const root = openDirectory(folder.path);
  try {
    expect(() => openChild(root, "directory")).toThrow(/ENOTDIR|ELOOP|not a directory/);
    expect(() => openFile(root.at("file"))).toThrow(/ELOOP/);
    openChild(root, "real").close();
  } finally {
    root.close();
  }
});
