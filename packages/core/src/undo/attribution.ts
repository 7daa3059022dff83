/** Whose a change is: what is new since the last look at the workspace belongs to the commands that are open. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock, Millis } from "../contract/base.ts";
import { FILE_MODE, readIfExists, replaceFile } from "../machine/files/files.ts";
import { identitiesOf } from "../machine/files/protected-places.ts";
import type { CommandLabels, LabelledCommand } from "../labels/command-labels.ts";
import type { FoundChange } from "../labels/new-entries.ts";
import { type Copies, turnsIn } from "./copies.ts";
import { ABSENT, type FileState, sameState, TICK_NS } from "./file-state.ts";
import { endsTorn, type Line, LINES_AT_ONCE, manifestOf, type UndoTarget } from "./manifest.ts";
import { keyOf, type OpenCommand } from "./open-commands.ts";
import { scan, type Scan } from "./scan.ts";
import { createSlices, type Slices } from "./slices.ts";
import { startsOtherwise } from "./started.ts";

export interface AttributionOptions {
  readonly directory: string;
  readonly workspace: string;
  readonly protect?: readonly string[];
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxEntries?: number;
  readonly exclude: readonly string[];
  readonly clock: Pick<Clock, "monotonic">;
  readonly labels?: CommandLabels;
}

export interface Look {
  readonly excluded: readonly string[];
  readonly gaps: readonly Line[];
  /** Why the commands that are open are a stranger's. */
  readonly causes: readonly string[];
  /** Whether all was seen that is in the workspace. */
  readonly complete: boolean;
}

export interface Attribution {
  /**
   * Writes down what changed since the last look. `keep`: contents are copied. `cause`: who else may have changed it.
   * @throws `signal.reason`.
   */
  look(
    copies: Copies,
    keep: boolean,
    options?: { readonly signal?: AbortSignal; readonly cause?: readonly string[] },
  ): Promise<Look>;
  /**
   * Before a write that is known exactly: it is no command's, neither of those that are open nor of one that starts before it is
   * done, also when this process dies before they end.
   */
  announce(copies: Copies, by: UndoTarget, path: string, before: FileState, after: FileState): void;
  /** What commands of a turn left that runs when somebody starts it, since the last time this was asked. */
  takeStarted(of: UndoTarget): readonly string[];
  /** Before a command is open: what was announced and not seen yet outlives this process from now on. */
  opening(copies: Copies): void;
  /** Commands are open that another process started: what it announced is known here too. Else nothing of it counts. */
  recall(copies: Copies): void;
  /** What was there when last something was known of it. */
  lastOf(copies: Copies, path: string): FileState;
}

/** A write that is known exactly. */
interface Known {
  /** `session/turn`. */
  readonly by: string;
  readonly before: FileState;
  readonly after: FileState;
  /** Of this process, monotonic. */
  readonly at: Millis;
}

const MAX_ENTRIES = 200_000;
/** Announced while no command is open: a few are still being written, the others are in the next look. */
const MAX_PENDING = 1000;
/** What was announced so long ago and is not there was refused: no command that starts now has to do with it. */
const PENDING_MS = 60_000;

interface AttributionState extends AttributionOptions {
  readonly turns: string;
  readonly maxEntries: number;
  /** Of writes that are announced, for a process that starts while commands are open. */
  readonly announced: string;
  /** Announced and not seen yet, by path. */
  readonly known: Map<string, Known>;
  readonly started: Map<string, readonly string[]>;
}

export function createAttribution(options: AttributionOptions): Attribution {
  const { directory, maxEntries = MAX_ENTRIES, clock } = options;
  const known = new Map<string, Known>();
  const started = new Map<string, readonly string[]>();
  const announced = join(directory, "announced.jsonl");
  /** Of the file, as far as this process knows it, and from how many on it is looked at for lines that others have replaced. */
  let lines = 0;
  let many = MAX_PENDING;
  const state = { ...options, turns: turnsIn(directory), maxEntries, announced, known, started };
  return {
    look: (copies, keep, how = {}) => look(state, copies, keep, how),
    announce: ({ open }, { session, turn }, path, before, after) => {
      if (sameState(before, after)) return; // it changes nothing: what was announced before it stands
      const write: Known = { by: `${session}/${turn}`, before, after, at: clock.monotonic() };
      if (open.all().length > 0) {
        fs.appendFileSync(announced, lineOf([path, write]), { mode: FILE_MODE });
        lines += 1;
        if (lines > many) many = 2 * (lines = shorten(announced)) + MAX_PENDING;
      }
      known.delete(path); // the latest is the last
      known.set(path, write);
      const [oldest] = known.keys();
      if (open.all().length === 0 && known.size > MAX_PENDING && oldest !== undefined) known.delete(oldest);
    },
    takeStarted: ({ session, turn }) => {
      const paths = started.get(`${session}/${turn}`) ?? [];
      started.delete(`${session}/${turn}`);
      return [...new Set(paths)].toSorted();
    },
    opening: ({ open }) => {
      if (open.all().length > 0) return;
      for (const [path, { at }] of known) if (clock.monotonic() - at > PENDING_MS) known.delete(path);
      fs.writeFileSync(announced, [...known].map(lineOf).join(""), { mode: FILE_MODE });
      lines = known.size;
    },
    recall: ({ open }) => {
      if (open.all().length === 0) return fs.rmSync(announced, { force: true });
      if (endsTorn(announced)) fs.appendFileSync(announced, "\n"); // what follows is a line of its own
      const told = announcedIn(announced);
      lines = told.length;
      for (const [path, write] of told) known.set(path, { ...write, at: clock.monotonic() });
    },
    lastOf: (copies, path) => known.get(path)?.after ?? lastSeen(copies, path),
  };
}

async function look(
  state: AttributionState,
  copies: Copies,
  keep: boolean,
  { signal, cause = [] }: { readonly signal?: AbortSignal; readonly cause?: readonly string[] },
): Promise<Look> {
  const { labels, maxEntries } = state;
  const { store, index, open } = copies;
  const slices = createSlices(state.clock, signal);
  const owners = open.all();
  const ask = async (): Promise<readonly string[]> =>
    owners.length === 0 ? [] : ((await labels?.causes(owners.map(labelledBy), index.entries.keys(), slices)) ?? []);
  // First: what reads for itself below must not count.
  let causes = await ask();
  const found = await scanAll(state, copies, keep, slices);
  if (found === undefined) {
    const gap: Line = { gap: "too-many", text: `more than ${maxEntries} entries` };
    return { excluded: [], gaps: [gap], causes, complete: false };
  }
  const turnsOf = [...new Set(owners.map(({ session, turn }) => `${session}/${turn}`))];
  const { changes, lines } = await attribute(state, copies, found, { turnsOf, cause, slices });
  // What one of several wrote meanwhile may come of what it read meanwhile.
  if (owners.length > 1 && causes.length === 0) causes = await ask();
  if (owners.length > 1 && causes.length > 0) for (const one of owners) open.share(one, causes);
  const { excluded } = found;
  if (owners.length === 0) await labels?.outside(changes, slices);
  else {
    const readers = owners.flatMap((one) => one.readers ?? []);
    await labels?.settle(changes, { causes, readers, excluded, alone: owners.length === 1 }, slices);
  }
  await store.sync(); // before anything on disk names it
  await writeDown(state.turns, lines, slices);
  await index.replace(found.index, slices);
  store.unpin();
  return {
    excluded,
    gaps: found.unnamed.map((path) => ({ gap: "name", text: path })),
    causes,
    complete: found.unnamed.length === 0 && found.unread.length === 0,
  };
}

function scanAll(
  { workspace, directory, protect, maxBytes, maxFileBytes, maxEntries, exclude }: AttributionState,
  { store, index, room }: Copies,
  keep: boolean,
  slices: Slices,
): Promise<Scan | undefined> {
  return scan({
    root: workspace,
    forbidden: identitiesOf(protect ?? []),
    previous: index.entries,
    store,
    keep: keep && maxBytes > 0,
    room,
    maxFileBytes,
    maxEntries,
    exclude: new Set(exclude),
    since: fileTime(directory) - TICK_NS,
    slices,
  });
}

/** The lines of each turn that has a command open. @param cause Who else may have changed it. */
async function attribute(
  { workspace, known, started }: AttributionState,
  copies: Copies,
  found: Scan,
  {
    turnsOf,
    cause,
    slices,
  }: { readonly turnsOf: readonly string[]; readonly cause: readonly string[]; readonly slices: Slices },
): Promise<{ readonly changes: readonly FoundChange[]; readonly lines: ReadonlyMap<string, readonly Line[]> }> {
  const { store, index } = copies;
  const lines = new Map<string, Line[]>(turnsOf.map((one) => [one, []]));
  const changes: FoundChange[] = [];
  for (const path of new Set([...index.entries.keys(), ...found.index.keys()])) {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    const after = found.index.get(path)?.state ?? ABSENT;
    const last = lastSeen(copies, path);
    if (last === after) continue;
    const exact = known.get(path);
    if (exact !== undefined && !sameState(exact.before, after)) known.delete(path); // else it is still to be written
    const before = exact === undefined || sameState(exact.before, after) ? last : exact.after;
    if (sameState(before, after)) continue;
    changes.push({ path, before, after });
    const starts = turnsOf.length > 0 && (await startsOtherwise({ path, before, after }, { workspace, store }));
    if (starts) for (const one of turnsOf) started.set(one, [...(started.get(one) ?? []), path]);
    const others = [...turnsOf, ...(exact === undefined || before === last ? [] : [exact.by]), ...cause];
    for (const one of turnsOf) {
      const shared = others.filter((other) => other !== one);
      lines.get(one)?.push({ path, before, after, ...(shared.length > 0 && { shared }), ...(starts && { starts }) });
    }
  }
  return { changes, lines };
}

async function writeDown(turns: string, lines: ReadonlyMap<string, readonly Line[]>, slices: Slices): Promise<void> {
  for (const [one, changed] of lines) {
    const [session = "", turn = ""] = one.split("/");
    const manifest = manifestOf(turns, session, turn);
    for (let at = 0; at < changed.length; at += LINES_AT_ONCE) {
      manifest.append(...changed.slice(at, at + LINES_AT_ONCE));
      await slices.pause();
    }
  }
}

function lastSeen({ index }: Copies, path: string): FileState {
  return index.entries.get(path)?.state ?? ABSENT;
}

function labelledBy(command: OpenCommand): LabelledCommand {
  return { ...command, key: keyOf(command) };
}

function lineOf(write: readonly [path: string, write: Known]): string {
  return `${JSON.stringify(write)}\n`;
}

/** A command that is open for weeks: of each path the last line. @returns how many are left. */
function shorten(file: string): number {
  const last = new Map<string, Known>();
  for (const [path, write] of announcedIn(file)) {
    last.delete(path);
    last.set(path, write);
  }
  replaceFile(file, [...last].map(lineOf).join(""));
  return last.size;
}

/** Oldest first. One that a crash tore had not been written. */
function announcedIn(file: string): readonly (readonly [path: string, write: Known])[] {
  return (readIfExists(file)?.toString("utf8") ?? "").split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as readonly [string, Known]]; // written above
    } catch {
      return [];
    }
  });
}

/** What time the file system gives to a file that is written now. */
function fileTime(directory: string): bigint {
  const path = join(directory, "now");
  fs.writeFileSync(path, "", { mode: FILE_MODE });
  return fs.statSync(path, { bigint: true }).ctimeNs;
}
