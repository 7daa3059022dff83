/** What was made under which key: a line for each intent and each answer, synced; a torn or damaged one is no line. */
import { dirname } from "node:path";
import { RuntimeError } from "@margay/core";
import { makeDirectory, openAppend, readIfExists, replaceFile, messageOf } from "@margay/core/internal";
import type { AppendFile, Millis } from "@margay/core/internal";
import type { Reply } from "../api/route.ts";

export interface Replay {
  /** Of route, owner and key. */
  readonly name: string;
  /** Of the request: the key holds for this one only. */
  readonly hash: string;
  readonly at: Millis;
  /** What ids are derived from. */
  readonly seed: string;
  /** Absent: it was begun, and nobody knows how it ended. */
  readonly reply?: Pick<Reply, "status" | "body" | "headers">;
}

export interface ReplayFile {
  find(name: string): Replay | undefined;
  /** On disk when it resolves. @throws RuntimeError `journal.failed`: nothing more is known than before. */
  keep(replay: Replay): Promise<void>;
  drop(name: string): Promise<void>;
  /** At once, and from the disk. */
  dropWhere(fits: (replay: Replay) => boolean): void;
}

type Line = Replay | { readonly name: string; readonly gone: true };

/** Lines beyond twice what is kept, before the file is written anew. */
const SLACK = 200;

export function openReplayFile(
  path: string,
  {
    most,
    isOld,
    failed,
  }: {
    readonly most: number;
    readonly isOld: (replay: Replay) => boolean;
    readonly failed: (message: string) => void;
  },
): ReplayFile {
  let loaded: Map<string, Replay> | undefined;
  /** Undefined: to be written anew, for nobody knows what it holds. */
  let file: AppendFile | undefined;
  let lines = 0;

  /** The oldest first. */
  const kept = (): Map<string, Replay> => {
    loaded ??= read(path);
    for (const [name, replay] of loaded) {
      if (loaded.size <= most && !isOld(replay)) break;
      loaded.delete(name);
    }
    return loaded;
  };
  const rewritten = (): AppendFile => {
    const all = [...kept().values()];
    makeDirectory(dirname(path));
    file?.release();
    file = undefined;
    replaceFile(path, all.map((replay) => `${JSON.stringify(replay)}\n`).join(""));
    lines = all.length;
    return (file = openAppend(path));
  };
  const append = async (line: Line): Promise<void> => {
    const known = kept();
    const before = known.get(line.name);
    try {
      const open = file === undefined || lines > 2 * known.size + SLACK ? rewritten() : file;
      if ("gone" in line) known.delete(line.name);
      else known.set(line.name, line); // at once: the same key may come again meanwhile
      open.write(Buffer.from(`${JSON.stringify(line)}\n`));
      lines += 1;
      await open.sync();
    } catch (error) {
      file?.release();
      file = undefined;
      if (before === undefined) known.delete(line.name);
      else known.set(line.name, before);
      const message = `${path} could not be written: ${messageOf(error)}.`;
      failed(message);
      throw new RuntimeError("journal.failed", message, { cause: error });
    }
  };
  return {
    find: (name) => {
      const found = kept().get(name);
      return found === undefined || isOld(found) ? undefined : found;
    },
    keep: append,
    drop: (name) => append({ name, gone: true }),
    dropWhere: (fits) => {
      const known = kept();
      const gone = [...known.values()].filter(fits);
      if (gone.length === 0) return;
      for (const { name } of gone) known.delete(name);
      rewritten();
    },
  };
}

function read(path: string): Map<string, Replay> {
  const replays = new Map<string, Replay>();
  for (const text of (readIfExists(path)?.toString("utf8") ?? "").split("\n")) {
    const line = parsed(text);
    if (line === undefined) continue;
    if ("gone" in line) replays.delete(line.name);
    else replays.set(line.name, line);
  }
  return replays;
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line; // written above
  } catch {
    return undefined; // torn by a crash: its request was not answered
  }
}
