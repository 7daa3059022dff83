// In every worker of a test run that was planted: what a test removes from the temporary folder is searched before it is gone.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, resolve } from "node:path";
import { expect } from "vitest";

import { searchBelow } from "./planted.mjs";

const {
  MARGAY_PLANTED_MARK: mark = "",
  MARGAY_PLANTED_FOLDER: folder = "",
  MARGAY_PLANTED_LOG: log = "",
} = process.env;
const DONE = Symbol.for("margay.planted");

if (folder !== "" && globalThis[DONE] === undefined) {
  globalThis[DONE] = true;
  const roots = [folder, fs.realpathSync(folder)];
  /** Only what a test made itself, as a whole: what the program removes inside of it is there no more when the test ends. */
  const look = (path) => {
    const place = resolve(String(path));
    if (!roots.includes(dirname(place))) return;
    const { hits, ...count } = searchBelow(place, mark);
    const test = expect.getState().currentTestName ?? "between tests";
    fs.appendFileSync(log, `${JSON.stringify({ ...count, hits: hits.map((hit) => ({ ...hit, test })) })}\n`);
  };
  for (const [holder, name] of [
    [fs, "rmSync"],
    [fs, "rm"],
    [fs.promises, "rm"],
  ]) {
    const original = holder[name];
    holder[name] = function (path, ...rest) {
      look(path);
      return original.call(this, path, ...rest);
    };
  }
  syncBuiltinESMExports();
}
