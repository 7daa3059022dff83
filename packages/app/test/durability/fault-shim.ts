/** Faults of the system below a directory, in a real process: compiles fault-shim.c and steers it through a shared file. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

/** In the order of fault-shim.c. `rename` stands for all that changes names: link and mkdir too. */
export const FAULT_KINDS = ["write", "sync", "rename", "open", "spawn"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** What each kind of call meets. */
export type Errors = Readonly<Record<FaultKind, keyof typeof constants.errno>>;

export const FULL_DISK: Errors = { write: "ENOSPC", sync: "EIO", rename: "ENOSPC", open: "EMFILE", spawn: "EAGAIN" };
export const BROKEN_DISK: Errors = { write: "EIO", sync: "EIO", rename: "EIO", open: "EIO", spawn: "EMFILE" };

export interface Faults {
  /** For the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** From now on calls count; from the N-th on, `many` in a row fail. */
  arm(first: number, many: number, errors: Errors): void;
  /** @returns how many calls were counted, how many failed, and which kind the last of those was. */
  lift(): { readonly count: number; readonly fired: number; readonly last: FaultKind };
  [Symbol.dispose](): void;
}

const FIELDS = 6;

/** @param directory Where calls fail, in which the library must not lie. @param tools Where it and the shared file go. */
export function compileFaults(directory: string, tools: string): Faults {
  const library = join(tools, "fault-shim.so");
  execFileSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dirname, "fault-shim.c"), "-ldl"]);
  const path = join(tools, "fault-control");
  writeFileSync(path, new Uint8Array(4096));
  const fd = openSync(path, "r+");
  const write = (numbers: readonly number[]): void =>
    void writeSync(fd, new BigInt64Array(numbers.map(BigInt)), 0, numbers.length * 8, 0);
  return {
    environment: { LD_PRELOAD: library, MARGAY_FAULT_CONTROL: path, MARGAY_FAULT_ROOT: directory },
    arm: (first, many, errors) => {
      write([0]);
      write([0, 0, first, many, 0, 0, ...FAULT_KINDS.map((kind) => constants.errno[errors[kind]])]);
      write([1]);
    },
    lift: () => {
      write([0]);
      const numbers = new BigInt64Array(FIELDS);
      readSync(fd, numbers, 0, FIELDS * 8, 0);
      const [, count = 0n, , , fired = 0n, last = 0n] = numbers;
      return { count: Number(count), fired: Number(fired), last: FAULT_KINDS[Number(last)] ?? "write" };
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}
