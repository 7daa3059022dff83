// Keeps the transcript files of all sessions up to date: appended at the end of a turn, made again when they do not fit.
import type { Logger, SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import { openViewFiles } from "../journal/view-files.ts";
import { messageOf } from "../lib/errors/errors.ts";
import {
  createTranscriptFold,
  type KnownRows,
  type TranscriptChange,
  type TranscriptFold,
  type TranscriptHead,
} from "./fold.ts";
import { headLine, renderTranscripts, transcriptName } from "./format.ts";
import type { RowOptions } from "./rows.ts";

export interface TranscriptOptions extends RowOptions {
  /** `sessions` in the state directory. */
  readonly directory: string;
  /** The journal of a session: what a missing or damaged file is made from again. */
  readonly readCommits: (session: SessionId) => AsyncIterable<Commit>;
  readonly log?: Logger;
}

interface Disk {
  readonly files: ReturnType<typeof openViewFiles>;
  readonly options: TranscriptOptions;
}

interface View {
  readonly fold: TranscriptFold;
  /** The last commit observed. */
  seq: number;
  changes: TranscriptChange[];
  /** What the file holds; undefined: there is none; `unknown`: not looked at yet, or a write failed. */
  disk: TranscriptHead | undefined | "unknown";
}

/** Beside a snapshot of its session. */
interface Kept {
  readonly cut: number;
  readonly known?: KnownRows;
}

/** Appends at the end of each turn. A file that is missing or does not fit is made again from the journal. */
export function transcriptObserver(options: TranscriptOptions): CommitObserver {
  const disk: Disk = { files: openViewFiles(options.directory), options };
  const views = new Map<SessionId, View>();
  const due = new Set<SessionId>();
  /** Replayed at this moment; with what is due of them when that is over. */
  const replaying = new Map<SessionId, boolean>();
  let running: Promise<void> | undefined;
  let failure: Error | undefined;

  const drain = async (): Promise<void> => {
    await Promise.resolve(); // let the commit that woke us finish its own work
    try {
      for (const id of due) {
        const view = views.get(id);
        due.delete(id);
        if (view === undefined) continue;
        // What could not be written is looked at again.
        await update(id, view, disk).catch((error: unknown) => {
          due.add(id);
          throw error;
        });
      }
      failure = undefined;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(messageOf(error));
      options.log?.error("transcript.failed", { error: failure.message });
    } finally {
      running = undefined;
    }
  };

  const wake = (id: SessionId): void => {
    if (replaying.has(id)) return void replaying.set(id, true);
    due.add(id);
    running ??= drain();
  };

  return {
    observe: (state, commit, replayed) => {
      const known = commit.seq === 1 ? undefined : views.get(state.id);
      const view: View = known ?? {
        fold: createTranscriptFold(options),
        seq: 0,
        changes: [],
        disk: replayed ? "unknown" : undefined,
      };
      views.set(state.id, view);
      const changes = view.fold.apply(commit);
      view.seq = commit.seq;
      if (changes.length === 0) return;
      if (replayed) view.disk = "unknown"; // it may hold them
      else view.changes.push(...changes);
      wake(state.id);
    },
    replay: (id, at) => {
      if (at === "begun") return void replaying.set(id, false);
      const isDue = replaying.get(id) === true;
      replaying.delete(id);
      if (at === "failed") views.delete(id);
      else if (isDue) wake(id);
    },
    continues: {
      name: "transcript",
      keep: (id) => ({ cut: options.toolResultChars, known: views.get(id)?.fold.known() }),
      resume: ({ id, seq }, kept) => {
        const { cut, known } = kept as Kept; // as `keep` gave it
        if (cut !== options.toolResultChars || known === undefined) return false; // its rows are other ones now
        views.set(id, { fold: createTranscriptFold(options, known), seq, changes: [], disk: "unknown" });
        wake(id);
        return true;
      },
    },
    flush: async () => {
      if (running === undefined && due.size > 0) running = drain();
      while (running !== undefined) await running;
      if (failure !== undefined) throw failure;
    },
  };
}

async function update(id: SessionId, view: View, disk: Disk): Promise<void> {
  const { changes, seq } = view;
  const expected = view.fold.head;
  view.changes = [];
  try {
    const known =
      view.disk === "unknown"
        ? changes.length === 0 && (await holds(id, expected, disk))
        : await apply(id, view, changes, disk);
    if (!known) await makeAgain(id, seq, disk);
    view.disk = expected;
  } catch (error) {
    view.disk = "unknown";
    throw error;
  }
}

async function holds(id: SessionId, expected: TranscriptHead | undefined, { files }: Disk): Promise<boolean> {
  const found = await files.head(transcriptName(id));
  if (expected === undefined || found === undefined) return expected === found;
  return `${found.line}\n` === headLine(expected) && found.size === sizeOf(expected);
}

/** @returns false when the file is not what it should be. */
async function apply(
  id: SessionId,
  view: View,
  changes: readonly TranscriptChange[],
  { files }: Disk,
): Promise<boolean> {
  let lines = "";
  let head: TranscriptHead | undefined;
  for (const change of changes) {
    if (change.do === "write") {
      lines += change.lines;
      head = change.head;
      continue;
    }
    if (head !== undefined && !(await extend(id, view.disk, lines, head, files))) return false;
    if (!(await files.rename(transcriptName(id), transcriptName(id, change.time)))) return false;
    view.disk = undefined;
    lines = "";
    head = undefined;
  }
  return head === undefined || extend(id, view.disk, lines, head, files);
}

async function extend(
  id: SessionId,
  before: View["disk"],
  lines: string,
  head: TranscriptHead,
  files: Disk["files"],
): Promise<boolean> {
  const beginning = headLine(head);
  if (before === undefined) {
    await files.replace(transcriptName(id), beginning + lines);
    return true;
  }
  // A first line that outgrew its block cannot be overwritten in place.
  if (before === "unknown" || headLine(before).length !== beginning.length) return false;
  return files.extend(transcriptName(id), sizeOf(before), lines, beginning);
}

async function makeAgain(id: SessionId, seq: number, { files, options }: Disk): Promise<void> {
  const made = await renderTranscripts(upTo(options.readCommits(id), seq), options);
  for (const { time, text } of made) await files.replace(transcriptName(id, time), text);
  if (made.at(-1)?.time !== undefined || made.length === 0) await files.remove(transcriptName(id));
}

function sizeOf(head: TranscriptHead): number {
  return new TextEncoder().encode(headLine(head)).length + head.bytes;
}

async function* upTo(commits: AsyncIterable<Commit>, seq: number): AsyncGenerator<Commit> {
  for await (const commit of commits) {
    if (commit.seq > seq) return;
    yield commit;
  }
}
