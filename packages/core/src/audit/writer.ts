// Seals records into the chain and appends them, each once.
import { join } from "node:path";
import type { Clock } from "../contract/base.ts";
import { makeDirectory } from "../machine/files/files.ts";
import { advance, catchUp, isWritten, type Cursors, type Progress } from "./catch-up.ts";
import { seal, START, type Cryptography, type Head } from "./chain.ts";
import { auditedEvent, type AuditEntry, type Source } from "./entry.ts";
import {
  CHECKPOINT_FILE,
  createKey,
  cryptography,
  HEAD_FILE,
  isEmptyLog,
  type LogWriter,
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

interface WriterState extends Pick<WriterOptions, "directory" | "clock"> {
  readonly crypto: Cryptography;
  readonly files: LogWriter;
  cursors: Cursors;
  head: Head;
  /** Lines that the head on disk vouches for. */
  anchored: number;
  checkpointed: number;
  /** Whether the head on disk says that there is a checkpoint. */
  noted: boolean;
  place: { readonly file: string; readonly size: number } | undefined;
}

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
  const progress = progressFrom(await catchUp(directory, crypto), reached);
  const { cursors, head, anchored, checkpoint: noted, damage } = progress;
  const files = openLogWriter(directory, progress.newest);
  const writer = { directory, clock, crypto, files, cursors, head, anchored, checkpointed: head.n, noted };
  const state: WriterState = { ...writer, place: undefined };
  if (damage !== undefined) {
    const entry = auditedEvent("audit.broken", { what: damage }, clock.now(), { redact, hash: crypto.hash });
    await write(state, [{ source: undefined, make: () => entry }]);
  }
  return {
    get head() {
      return state.head;
    },
    write: (batch) => write(state, batch),
    anchor: () => anchor(state),
    close: async () => {
      await anchor(state);
      if (state.head.n > state.checkpointed) await checkpoint(state);
      await files.sync();
    },
  };
}

/** @param reached What this process has written before: less than that is damage. */
function progressFrom(found: Progress, reached: Head): Progress {
  if (found.head.n >= reached.n) return found;
  const damage = `lines ${found.head.n + 1} to ${reached.n} are gone`;
  return { ...found, head: reached, anchored: -1, checkpoint: false, damage };
}

async function write(state: WriterState, batch: readonly Pending[]): Promise<void> {
  const next: Cursors = new Map(state.cursors);
  const lines: string[] = [];
  let end = state.head;
  for (const { source, make } of batch) {
    if (source !== undefined) {
      if (isWritten(next, source, source.index)) continue;
      advance(next, source);
    }
    const sealed = seal(make(), end, state.crypto);
    lines.push(sealed.line);
    end = sealed.head;
  }
  if (lines.length === 0) return;
  state.place = await state.files.append(lines, state.clock.now());
  state.head = end;
  state.cursors = next;
}

async function anchor(state: WriterState): Promise<void> {
  if (state.anchored === state.head.n) return;
  await state.files.sync();
  await writeHead(state);
  state.anchored = state.head.n;
  if (state.head.n - state.checkpointed >= CHECKPOINT_LINES) await checkpoint(state);
}

/** Before the head that says so: whatever moment a process dies at, one that is not there was taken away. */
async function checkpoint(state: WriterState): Promise<void> {
  const { directory, head, place, cursors, crypto } = state;
  if (place === undefined) return;
  const signed = { ...head, ...place, cursors: Object.fromEntries(cursors) };
  await writeSigned(join(directory, CHECKPOINT_FILE), signed, crypto);
  state.checkpointed = state.head.n;
  if (state.noted) return;
  state.noted = true;
  await writeHead(state);
}

function writeHead({ directory, head, noted, crypto }: WriterState): Promise<void> {
  return writeSigned(join(directory, HEAD_FILE), { ...head, ...(noted && { checkpoint: true }) }, crypto);
}
