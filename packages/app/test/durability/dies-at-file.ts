// Loaded with `node --import` before the program: it is killed when the file that `DIES_REPLACING` names would be replaced,
// or would be for the `DIES_AT`-th time,
// or when the one that `DIES_REMOVING` names would be removed,
// or before the second line would be appended to the one that `DIES_APPENDING` names.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const replaced = process.env["DIES_REPLACING"];
const appended = process.env["DIES_APPENDING"];
const removed = process.env["DIES_REMOVING"];
const { openSync, renameSync, rmSync, writeSync } = fs;
const watched = new Set<number>();
let lines = 0;
let left = Number(process.env["DIES_AT"] ?? 1);

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;); // nothing may happen between the signal and the end
}

fs.renameSync = (from, to) => {
  if (replaced !== undefined && String(to).endsWith(replaced) && --left === 0) die();
  renameSync(from, to);
};
fs.rmSync = (path, options) => {
  if (removed !== undefined && String(path).endsWith(removed)) die();
  rmSync(path, options);
};
fs.openSync = (path, flags, mode) => {
  const fd = openSync(path, flags, mode);
  watched.delete(fd);
  if (appended !== undefined && flags === "a" && String(path).endsWith(appended)) watched.add(fd);
  return fd;
};
fs.writeSync = ((fd: number, ...rest: [Uint8Array]) => {
  if (watched.has(fd) && ++lines === 2) die();
  return writeSync(fd, ...rest);
}) as typeof writeSync; // passes on whatever it gets
syncBuiltinESMExports();
