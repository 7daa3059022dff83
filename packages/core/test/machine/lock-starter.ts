// A process that takes and releases the lock of a directory when it is told to.
import { hasCode } from "../../src/lib/errors/errors.ts";
import { lockDirectory, type DirectoryLock } from "../../src/machine/system/lock.ts";

const [, , directory = ""] = process.argv;
let lock: DirectoryLock | undefined;

process.on("message", (what) => {
  if (what === "take") process.send?.(take());
  else {
    lock?.[Symbol.dispose]();
    lock = undefined;
    process.send?.("released");
  }
});
process.send?.("ready");

function take(): string {
  try {
    lock = lockDirectory(directory);
    return lock.unclean ? "held unclean" : "held";
  } catch (error) {
    if (hasCode(error, "state.locked")) return "state.locked";
    throw error;
  }
}
