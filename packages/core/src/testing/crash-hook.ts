// Loaded with `node --import` before the program under test: kills the process at its k-th journal commit. The program
// itself knows nothing about it. `MARGAY_CRASH_AT` is `before:k`, `torn:k` or `after:k`, k from 1, counted in lines
// this process appends to journals (`*.journal`, `notifications.jsonl`) whose path contains `MARGAY_CRASH_FILE`, and of these
// the ones that hold `MARGAY_CRASH_WORD`.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Callback = (error: NodeJS.ErrnoException | null, ...rest: unknown[]) => void;
type Handle = Awaited<ReturnType<typeof fs.promises.open>>;

const [when = "", count = "0"] = (process.env["MARGAY_CRASH_AT"] ?? "").split(":");
const target = Number(count);
const part = process.env["MARGAY_CRASH_FILE"] ?? "";
const word = Buffer.from(process.env["MARGAY_CRASH_WORD"] ?? "");
const real = { ...fs, promises: { ...fs.promises } };
const journals = new Set<number>();
let lines = 0;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;); // nothing may happen between the signal and the end
}

function isJournal(path: unknown): boolean {
  const name = typeof path === "string" ? path : path instanceof URL ? path.pathname : "";
  return /\.journal$|\/notifications\.jsonl$/.test(name) && name.includes(part);
}

/** Called with the bytes that are about to be appended. @returns whether to die when they are in the file. */
function reach(fd: number, data: Uint8Array): boolean {
  let start = 0;
  for (let end = data.indexOf(10); end >= 0; start = end + 1, end = data.indexOf(10, start)) {
    if (Buffer.from(data.subarray(start, end)).includes(word) && ++lines === target) return meet(fd, data, start, end);
  }
  return false;
}

function meet(fd: number, data: Uint8Array, start: number, end: number): boolean {
  if (when === "before") die();
  if (when === "torn") {
    real.writeSync(fd, data, 0, start + Math.max(1, (end - start) >> 1));
    die();
  }
  return true;
}

function bytesOf(data: unknown, offset?: unknown, length?: unknown): Uint8Array {
  if (!ArrayBuffer.isView(data)) return Buffer.from(String(data));
  const view = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const from = typeof offset === "number" ? offset : 0;
  return view.subarray(from, typeof length === "number" ? from + length : undefined);
}

/** Wraps a callback-style function so that `after` sees a success before the program does. */
function spy(args: unknown[], after: (...results: unknown[]) => void): unknown[] {
  const callback = args.at(-1) as Callback; // the last argument of every callback-style fs function
  return [
    ...args.slice(0, -1),
    (error: NodeJS.ErrnoException | null, ...rest: unknown[]) => {
      if (error === null) after(...rest);
      callback(error, ...rest);
    },
  ];
}

// The replacements pass on whatever arguments they get, so their own signatures say nothing; hence the one cast below.
type Loose = (...args: unknown[]) => unknown;
const call = (original: unknown, self: unknown, args: readonly unknown[]): unknown =>
  (original as Loose).apply(self, [...args]); // see above

function watched(handle: Handle): Handle {
  journals.add(handle.fd);
  const writing =
    (method: unknown): Loose =>
    async (...args) => {
      const last = reach(handle.fd, bytesOf(args[0], args[1], args[2]));
      const result = await call(method, handle, args);
      if (last) die();
      return result;
    };
  return Object.assign(handle, {
    write: writing(handle.write),
    writeFile: writing(handle.writeFile),
    appendFile: writing(handle.appendFile),
  });
}

const replacements: Readonly<Record<string, Loose>> = {
  openSync(...args) {
    const fd = call(real.openSync, fs, args) as number; // what openSync returns
    if (isJournal(args[0])) journals.add(fd);
    return fd;
  },
  open: (...args) =>
    call(
      real.open,
      fs,
      spy(args, (fd) => {
        if (isJournal(args[0])) journals.add(fd as number); // what open yields
      }),
    ),
  closeSync(...args) {
    journals.delete(args[0] as number); // closeSync takes a descriptor
    return call(real.closeSync, fs, args);
  },
  close(...args) {
    journals.delete(args[0] as number); // close takes a descriptor
    return call(real.close, fs, args);
  },
  writeSync(...args) {
    const fd = args[0] as number; // writeSync takes a descriptor
    const last = journals.has(fd) && reach(fd, bytesOf(args[1], args[2], args[3]));
    const result = call(real.writeSync, fs, args);
    if (last) die();
    return result;
  },
  write(...args) {
    const fd = args[0] as number; // write takes a descriptor
    const last = journals.has(fd) && reach(fd, bytesOf(args[1], args[2], args[3]));
    return call(real.write, fs, last ? spy(args, die) : args);
  },
};

Object.assign(fs, replacements);
Object.assign(fs.promises, {
  open: async (...args: unknown[]) => {
    const handle = (await call(real.promises.open, fs.promises, args)) as Handle; // what open yields
    return isJournal(args[0]) ? watched(handle) : handle;
  },
});
syncBuiltinESMExports();
