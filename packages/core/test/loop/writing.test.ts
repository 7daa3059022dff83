// What has to be on the disk before a file changes, and what after it: a process that tells in which order its syncs ended.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { COMPILED } from "../../src/testing/compiled.ts";
import { callsTool, says, startMockModel } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const PROGRAM = fileURLToPath(new URL("./fixtures/writing-turn.ts", import.meta.url));

const WRITE = { path: "note.txt", content: "new" };
const EDIT = { path: "note.txt", old_text: "old", new_text: "new" };

test.each([
  ["write_file", WRITE, "journal"],
  ["write_file", WRITE, "undo"],
  ["edit_file", EDIT, "journal"],
  ["edit_file", EDIT, "undo"],
])(
  "S4 DF22 %s %o changes nothing before its start, its content and the way back are on disk, the slowest being the %s; its outcome comes behind the change",
  async (tool, input, last) => {
    await using folder = await temporaryFolder();
    await using model = await startMockModel();
    await mkdir(folder.at("workspace/.margay/tmp"), { recursive: true });
    await writeFile(folder.at("workspace/note.txt"), "old");
    model.replies(callsTool(tool, input), says("done"));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=margay-source", PROGRAM, folder.at("home"), folder.at("workspace"), model.url, last],
      { env: { ...process.env, ...COMPILED } },
    );
    const told = JSON.parse(stdout) as readonly string[]; // of our own program
    const at = (what: string): number => {
      expect(told).toContain(what);
      return told.indexOf(what);
    };
    const renamed = at("renamed");
    expect(at("synced journal call.judged tool.started")).toBeLessThan(renamed);
    expect(at("synced undo")).toBeLessThan(renamed);
    expect(told.slice(0, renamed).filter((one) => one === "synced undo's folder")).toHaveLength(2); // the name of a new file, and of its folder
    expect(at("synced content")).toBeLessThan(renamed);
    expect(at("synced folder")).toBeGreaterThan(renamed);
    expect(at("wrote tool.finished")).toBeGreaterThan(at("synced folder"));
    const next = told.indexOf("wrote model.requested", at("wrote tool.finished"));
    // What is never done again is known before the model is asked; what can be is, while it answers.
    const isKnown = told.slice(0, next).includes("synced journal tool.finished");
    expect(isKnown).toBe(tool === "edit_file");
    expect(at("wrote turn.ended reply.queued")).toBeGreaterThan(next);
  },
);
