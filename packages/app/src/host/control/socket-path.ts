/** Where the control door of a state directory is: a socket in it, or, where its path is too long for one, in a private directory that it names. */
import { chmodSync, lstatSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeDirectory, readIfExists, replaceFile } from "@margay/core/internal";

/** Linux takes 107 bytes, macOS 103. */
const MAX_PATH_BYTES = 100;
const NAME = "socket";
/** Names the socket when it is elsewhere. */
const ADDRESS = "address";

/** @param control The folder of the state directory. @returns where its door is when there is one. */
export function socketPath(control: string): string {
  const elsewhere = readIfExists(join(control, ADDRESS))?.toString("utf8").trim();
  return elsewhere === undefined || elsewhere === "" ? join(control, NAME) : elsewhere;
}

export interface SocketPlace extends Disposable {
  readonly path: string;
}

/** Only the holder of the lock calls this: what an earlier one left there is removed. */
export function makeSocketPlace(control: string, env: Readonly<Record<string, string | undefined>>): SocketPlace {
  makeDirectory(control);
  chmodSync(control, 0o700); // it may have been made by an older margay, or by hand
  removeSocket(control);
  const inside = join(control, NAME);
  if (Buffer.byteLength(inside) <= MAX_PATH_BYTES)
    return { path: inside, [Symbol.dispose]: () => rmSync(inside, { force: true }) };
  const runtime = env["XDG_RUNTIME_DIR"];
  const parent = runtime === undefined || runtime === "" ? tmpdir() : runtime;
  const path = join(mkdtempSync(join(parent, "margay-")), NAME); // only its owner may enter
  replaceFile(join(control, ADDRESS), `${path}\n`);
  return { path, [Symbol.dispose]: () => removeSocket(control) };
}

/** What a file names is removed only when it is a door: its folder holds nothing else then. */
function removeSocket(control: string): void {
  const path = socketPath(control);
  if (path === join(control, NAME)) {
    rmSync(path, { recursive: true, force: true }); // whatever stands there
    return;
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
  try {
    rmdirSync(dirname(path));
  } catch {
    // It is gone, or holds what is not ours.
  }
  rmSync(join(control, ADDRESS), { force: true });
}
