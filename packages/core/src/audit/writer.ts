// Seals records into the chain and appends them, each once.
import { join } from "node:path";
import type { Clock } from "../contract/base.ts";
import { makeDirectory } from "../machine/files/files.ts";
import { advance, catchUp, isWritten, type Cursors, type Progress } from "./catch-up.ts";
import { seal, START, type Head } from "./chain.ts";
import { auditedEvent, type AuditEntry, type Source } from "./entry.ts";
import {
  CHECKPOINT_FILE,
  createKey,
  cryptography,
  HEAD_FILE,
  isEmptyLog,
  openLogWriter,
  readKey,
  writeSigned,
} from "./log-files.ts";

/** Lines between two checkpoints: about a megabyte to read again at the next start. */
const CHECKPOINT_LINES = 1_000;

/** A record that may be in the log already. `source` is absent for events, which come once. */
export interface Pending {
  readonly source: Source | undefined;
  readonly make: () => AuditEntry;
}
export interface Writer {
  /** Where the chain ends. */
  readonly head: Head;
  /** Appends what is not in the log yet. After a throw nothing of it counts as written. */
  write(batch: readonly Pending[]): Promise<void>;
  /** Makes what was written durable, then moves the head over it. */
  anchor(): Promise<void>;
  close(): Promise<void>;
}
export interface WriterOptions {
  readonly directory: string;
  readonly clock: Pick<Clock, "now">;
  readonly redact: (text: string) => string;
  readonly key?: Uint8Array;
  /** What this process has written before: less than that is damage. */
  readonly reached?: Head;
  /** Whether lines must be there: a log that is not was taken away. */
  readonly expected?: () => boolean;
  /** There is a log from now on. */
  readonly begun?: () => void;
}

/** Of a log that is gone nobody knows how long it was: a number is left out, so that verify() says so for ever. */
const TAKEN: Head = { n: 1, hash: START.hash };

export async function openWriter(options: WriterOptions): Promise<Writer> {
  const { directory, clock, key, redact } = options;
  const isNew = await isEmptyLog(directory);
  const { reached = isNew && options.expected?.() === true ? TAKEN : START } = options;
  const crypto = cryptography(key ?? (await readKey(directory)) ?? (await createKey(directory)));
  if (isNew && key !== undefined) {
    makeDirectory(directory);
    await writeSigned(join(directory, HEAD_FILE), START, crypto);
  }
  options.begun?.(); // after it: a process that dies in between leaves a log that nothing asks for yet
  const found = await catchUp(directory, crypto);
  const progress: Progress =
    found.head.n >= reached.n
      ? found
      : {
          ...found,
          head: reached,
          anchored: -1,
          checkpoint: false,
          damage: `lines ${found.head.n + 1} to ${reached.n} are gone`,
        };
  const files = openLogWriter(directory, progress.newest);
  let cursors: Cursors = progress.cursors;
  let head: Head = progress.head;
  let anchored = progress.anchored;
  let checkpointed = head.n;
  let { checkpoint: noted } = progress;
  let place: { readonly file: string; readonly size: number } | undefined;

  const write = async (batch: readonly Pending[]): Promise<void> => {
    const next: Cursors = new Map(cursors);
    const lines: string[] = [];
    let end = head;
    for (const { source, make } of batch) {
      if (source !== undefined) {
        if (isWritten(next, source, source.index)) continue;
        advance(next, source);
      }
      const sealed = seal(make(), end, crypto);
      lines.push(sealed.line);
      end = sealed.head;
    }
    if (lines.length === 0) return;
    place = await files.append(lines, clock.now());
    head = end;
    cursors = next;
  };
  /** Before the head that says so: whatever moment a process dies at, one that is not there was taken away. */
  const checkpoint = async (): Promise<void> => {
    if (place === undefined) return;
    await writeSigned(
      join(directory, CHECKPOINT_FILE),
      { ...head, ...place, cursors: Object.fromEntries(cursors) },
      crypto,
    );
    checkpointed = head.n;
    if (noted) return;
    noted = true;
    await writeHead();
  };
  const writeHead = (): Promise<void> =>
    writeSigned(join(directory, HEAD_FILE), { ...head, ...(noted && { checkpoint: true }) }, crypto);
  const anchor = async (): Promise<void> => {
    if (anchored === head.n) return;
    await files.sync();
    await writeHead();
    anchored = head.n;
    if (head.n - checkpointed >= CHECKPOINT_LINES) await checkpoint();
  };

  if (progress.damage !== undefined) {
    const entry = auditedEvent("audit.broken", { what: progress.damage }, clock.now(), { redact, hash: crypto.hash });
    await write([{ source: undefined, make: () => entry }]);
  }
  return {
    get head() {
      return head;
    },
    write,
    anchor,
    close: async () => {
      await anchor();
      if (head.n > checkpointed) await checkpoint();
      await files.sync();
    },
  };
}
