/** A restored home beside its place, and its way there: all of it, or nothing, or finished by the next run. */
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { RuntimeError } from "@margay/core";
import {
  lockDirectory,
  makeDirectory,
  messageOf,
  readIfExists,
  replaceFile,
  syncDirectory,
} from "@margay/core/internal";

interface Step {
  readonly from: string;
  readonly to: string;
}

/** What stands in the folder as soon as everything is made. */
interface Note {
  /** What is restored, and where to. */
  readonly id: string;
  readonly files: number;
  /** A workspace that lies elsewhere goes first: a home is there when all of it is. */
  readonly steps: readonly Step[];
}

export interface Staging extends Disposable {
  readonly home: string;
  /** Only of one that lies outside of the home. */
  readonly workspace?: string;
  /** Files of a run that died in the midst of placing what it had made: done now, nothing is left to do. */
  readonly finished?: number;
  /** @throws the file system's error: what was placed is back, or the next run finishes it. */
  place(files: number): void;
}

const NOTE = "placing.json";

/**
 * Removes what a killed run left of another attempt.
 * @throws RuntimeError `state.locked`; `usage.wrong` when a run died half way with something else.
 */
export function openStaging(to: string, outside: string | undefined, id: string): Staging {
  const folder = `${to}.restoring`;
  const stack = new DisposableStack();
  stack.use(lockDirectory(folder));
  const steps = [
    ...(outside === undefined ? [] : [{ from: join(`${outside}.restoring`, "workspace"), to: outside }]),
    { from: join(folder, "home"), to },
  ];
  const [workspace, home = ""] = outside === undefined ? [undefined, steps[0]?.from] : steps.map(({ from }) => from);
  const staging = { home, ...(workspace !== undefined && { workspace }) };
  const clear = (): void => {
    if (!isHalf(readNote(folder)))
      for (const one of [...steps.map(({ from }) => dirname(from)).filter((one) => one !== folder), folder])
        rmSync(one, { recursive: true, force: true });
    stack.dispose();
  };
  try {
    const left = readNote(folder);
    if (left !== undefined && isHalf(left)) {
      if (left.id !== id) throw unfinished(folder, left);
      placeAll(left.steps);
      return { ...staging, finished: left.files, place: () => {}, [Symbol.dispose]: clear };
    }
    rmSync(join(folder, NOTE), { force: true });
    for (const { from } of steps) {
      rmSync(from, { recursive: true, force: true });
      makeDirectory(dirname(from));
      mkdirSync(from, { mode: 0o700 });
    }
  } catch (error) {
    stack.dispose();
    throw error;
  }
  return {
    ...staging,
    place: (files) => {
      replaceFile(join(folder, NOTE), JSON.stringify({ id, files, steps } satisfies Note));
      placeAll(steps);
    },
    [Symbol.dispose]: clear,
  };
}

function placeAll(steps: readonly Step[]): void {
  const done: Step[] = [];
  try {
    for (const step of steps.filter(({ from }) => existsSync(from))) {
      if (existsSync(step.to)) rmdirSync(step.to);
      renameSync(step.from, step.to);
      done.push(step);
      syncDirectory(dirname(step.to));
    }
  } catch (error) {
    for (const { from, to } of done.toReversed()) renameSync(to, from);
    const to = steps[done.length]?.to ?? "";
    const text = `What was restored could not be put in its place, ${to}: ${messageOf(error)}. Nothing is left of it; name another folder.`;
    throw new RuntimeError("disk.failed", text);
  }
}

/** Something is in its place, and something is not. */
function isHalf(note: Note | undefined): boolean {
  const waiting = note?.steps.filter(({ from }) => existsSync(from)).length ?? 0;
  return waiting > 0 && waiting < (note?.steps.length ?? 0);
}

function readNote(folder: string): Note | undefined {
  const bytes = readIfExists(join(folder, NOTE));
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as Note); // replaced as a whole by us
}

function unfinished(folder: string, { steps }: Note): RuntimeError {
  const placed = steps.find(({ from }) => !existsSync(from))?.to ?? "";
  return new RuntimeError(
    "usage.wrong",
    `A restore of another snapshot died half way: ${placed} is in its place, and its home waits in ${folder}. Restore that snapshot again, which finishes it, or remove both.`,
  );
}
