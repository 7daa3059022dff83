// Runs with few file handles: appends to a new file while there is one left, for the file but not for its directory.
import { closeSync, openSync } from "node:fs";
import { openAppend } from "../../src/machine/files/files.ts";

const [, , path = ""] = process.argv;
const held: number[] = [];
const take = (): boolean => {
  try {
    held.push(openSync("/dev/null", "r"));
    return true;
  } catch {
    return false; // no handle is left
  }
};
while (take());
closeSync(held.pop() ?? 0);
let code = "";
const file = openAppend(path);
try {
  file.write(Buffer.from("x"));
  await file.sync();
} catch (error) {
  code = error instanceof Error && "code" in error ? String(error.code) : "";
}
file.release();
process.stdout.write(`${code} ${take() ? "given back" : "lost"}`);
