// A name that became a link between two looks: what opens it says so. No race is needed to see it.
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isStillAt, openChild, openDirectory } from "../../src/machine/files/open-directory.ts";
import { openFile } from "../../src/machine/files/open-file.ts";
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

test("FS1 what was exchanged, or had another name for a moment, does not stand there any more as it was opened", async () => {
  await using folder = await temporaryFolder();
  const [path, second] = [folder.at("file"), folder.at("second")];
  const opened = (): ReturnType<typeof openFile>["stats"] => {
    using file = openFile(path);
    return file.stats;
  };
  const secondName = (): void => {
    linkSync(path, second);
    rmSync(second);
  };
  writeFileSync(path, "x");
  const first = opened();
  expect(isStillAt(path, first)).toBe(true);
  linkSync(path, second);
  expect(isStillAt(path, first)).toBe(false);
  rmSync(second);
  // As many names as before: the time tells it, which older kernels keep in ticks.
  const alone = opened();
  await expect.poll(() => (secondName(), isStillAt(path, alone)), { interval: 1 }).toBe(false);
  const old = opened();
  writeFileSync(second, "x");
  renameSync(second, path);
  expect(isStillAt(path, old)).toBe(false);
  rmSync(path);
  expect(isStillAt(path, old)).toBe(false);
});
