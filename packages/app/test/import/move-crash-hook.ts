// Loaded with `node --import` before the program: kills it before or after the k-th step by which an import places what it
// made. `MARGAY_MOVE_AT` is `before:k` or `after:k`, k from 1.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [when = "", count = "0"] = (process.env["MARGAY_MOVE_AT"] ?? "").split(":");
const target = Number(count);
const real = { renameSync: fs.renameSync, rmSync: fs.rmSync };
let steps = 0;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;); // nothing may happen between the signal and the end
}

function around(counts: boolean, perform: () => void): void {
  if (counts) steps += 1;
  if (counts && steps === target && when === "before") die();
  perform();
  if (counts && steps === target && when === "after") die();
}

/** Made in its folder, or in its place. */
function isMade(path: fs.PathLike): boolean {
  return String(path).includes("/.margay-import-");
}

fs.renameSync = (from, to) => around(isMade(from) !== isMade(to), () => real.renameSync(from, to));
fs.rmSync = (path, options) => around(String(path).endsWith("/import.json"), () => real.rmSync(path, options));
syncBuiltinESMExports();
