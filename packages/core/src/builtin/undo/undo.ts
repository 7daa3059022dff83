/**
 * Keeps what a turn overwrites in the workspace, and gives it back. Before a file tool writes, that file is kept; before
 * a command, which may touch anything, everything that is new or changed since the last look.
 */
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Clock, Logger } from "../../contract/base.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { messageOf } from "../../lib/errors.ts";
import { isUntrusted } from "../../lib/labels.ts";
import { DIRECTORY_MODE, FILE_MODE } from "../../platform/files.ts";
import { identity } from "../../platform/open-directory.ts";
import { sha256 } from "../../platform/hash.ts";
import { openFile } from "../../platform/open-file.ts";
import type { Write } from "../write-file.ts";
import { openContentStore, type ContentStore } from "./content-store.ts";
import { stateAt, withParent } from "./entry.ts";
import { ABSENT, type FileState, sameState } from "./file-state.ts";
import { openIndexFile, type IndexFile } from "./index-file.ts";
import { manifestOf, readManifest, type Line, type Manifest, type TurnChanges } from "./manifest.ts";
import { prune, turnFiles, type Limits } from "./prune.ts";
import { planOf, type UndoPlan } from "./plan.ts";
import { restoreAll, type Restored } from "./restore.ts";
import { scan } from "./scan.ts";
import { createSlices, type Slices } from "./slices.ts";

export interface UndoOptions extends Limits {
  /** `undo` in the state directory: out of reach of every tool. */
  readonly directory: string;
  readonly workspace: string;
  /** Absolute paths that are never opened. */
  readonly protect?: readonly string[];
  /** `tools.undo.maxFileMegabytes`, in bytes. */
  readonly maxFileBytes: number;
  /** `tools.undo.exclude`: names of directories that are not looked into. */
  readonly exclude: readonly string[];
  /** Default 200,000. */
  readonly maxEntries?: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly log: Pick<Logger, "warn">;
  /** A file that a command of somebody untrusted created or changed. `sha256` undefined: it was too large to read. */
  readonly untrusted?: (path: string, sha256: string | undefined) => void;
}

/** Which changes: those of a turn, or of an undo, which has an id as turns have. */
export interface UndoTarget {
  readonly session: string;
  readonly turn: string;
}
export interface UndoRequest extends UndoTarget {
  /** Of the undo itself, to take it back. */
  readonly id: string;
  /** Also what somebody else changed since. */
  readonly force?: boolean;
}
export interface Undone {
  readonly plan: UndoPlan;
  readonly restored: readonly Restored[];
}

export interface Undo {
  /** Before a command starts. Does not throw but `signal.reason`: a turn goes on without a copy, and the list says so. */
  commandStarting(context: ToolContext): Promise<void>;
  /** It has ended, or was found ended after a restart. Does not throw. */
  commandEnded(context: Pick<ToolContext, "sessionId" | "turnId" | "callId">): Promise<void>;
  /** Before a file tool writes. Does not throw. */
  writing(write: Write, context: ToolContext): Promise<void>;
  /** Newest first. */
  list(session?: string): Promise<readonly TurnChanges[]>;
  /** @returns undefined when nothing is known of that turn; `busy` when a command of it is running. */
  plan(target: UndoTarget): Promise<UndoPlan | "busy" | undefined>;
  /** Restores what the plan says, as it is by then. */
  apply(request: UndoRequest): Promise<Undone | "busy" | undefined>;
}

interface Stores {
  readonly store: ContentStore;
  readonly index: IndexFile;
  /** Commands that have not ended: of this process, and of one that died. */
  readonly open: Map<string, OpenCommand>;
}
interface OpenCommand {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly untrusted: boolean;
}
/** A write that is known exactly, while commands run: it is not theirs. */
interface Known {
  /** `session/turn`. */
  readonly by: string;
  readonly before: FileState;
  readonly after: FileState;
}

const LINES_AT_ONCE = 500;
const RACY_NS = 20_000_000n; // twice the coarsest clock tick of Linux (100 Hz)

/** Opens nothing before it is first needed. */
export function openUndo(options: UndoOptions): Undo {
  const { directory, workspace, clock, log, maxBytes } = options;
  const turns = join(directory, "turns");
  let opened: Promise<Stores> | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  /** Commands this process runs: key of the open command. */
  const running = new Set<string>();
  const known = new Map<string, Known>();
  const begun = new Set<string>();
  const slicesOf = (signal?: AbortSignal): Slices => createSlices(() => clock.monotonic(), signal);

  /** One at a time: a look at the workspace while another one is written down would know neither. */
  const serial = <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work, work);
    tail = done.catch(() => undefined); // whoever asked is told
    return done;
  };
  const stores = (): Promise<Stores> => {
    opened ??= openStores(directory, turns, slicesOf());
    opened.catch(() => (opened = undefined)); // tried again at the next write
    return opened;
  };
  const begin = async (session: string, turn: string, undoes?: string): Promise<Manifest> => {
    const manifest = manifestOf(turns, session, turn);
    if (begun.has(manifest.file)) return manifest;
    if (!fs.existsSync(manifest.file)) {
      manifest.append({ begun: clock.now(), session, turn, ...(undoes !== undefined && { undoes }) });
      await tidy(0);
    }
    begun.add(manifest.file);
    return manifest;
  };
  /** Forgets what is over the limits; never a turn at work. */
  const tidy = async (bytes: number): Promise<void> => {
    const { store, index, open } = await stores();
    const busy = new Set([...open.values()].map(({ session, turn }) => manifestOf(turns, session, turn).file));
    const limits = { ...options, maxBytes: maxBytes - bytes };
    await prune({ turns, store, index: index.entries, limits, busy, now: clock.now(), slices: slicesOf() });
  };
  const room = async (bytes: number): Promise<boolean> => {
    const { store } = await stores();
    if (store.bytes + bytes <= maxBytes) return true;
    if (bytes > maxBytes) return false;
    await tidy(bytes);
    return store.bytes + bytes <= maxBytes;
  };

  /** What changed since the last look belongs to the commands that are open. */
  const look = async (
    keep: boolean,
    { signal, cause = [] }: { readonly signal?: AbortSignal; readonly cause?: readonly string[] } = {},
  ): Promise<{ readonly excluded: readonly string[]; readonly gaps: readonly Line[] }> => {
    const { store, index, open } = await stores();
    const slices = slicesOf(signal);
    const found = await scan({
      root: workspace,
      forbidden: identities(options.protect ?? []),
      previous: index.entries,
      store,
      keep: keep && maxBytes > 0,
      room,
      maxFileBytes: options.maxFileBytes,
      maxEntries: options.maxEntries ?? 200_000,
      exclude: new Set(options.exclude),
      since: fileTime(directory) - RACY_NS,
      slices,
    });
    if (found === undefined)
      return { excluded: [], gaps: [{ gap: "too-many", text: `more than ${options.maxEntries ?? 200_000} entries` }] };
    const owners = [...open.values()];
    const turnsOf = [...new Set(owners.map(({ session, turn }) => `${session}/${turn}`))];
    const lines = new Map<string, Line[]>(turnsOf.map((one) => [one, []]));
    for (const path of new Set([...index.entries.keys(), ...found.index.keys()])) {
      const wait = slices.pause();
      if (wait !== undefined) await wait;
      const after = found.index.get(path)?.state ?? ABSENT;
      const last = index.entries.get(path)?.state ?? ABSENT;
      if (owners.length === 0 || last === after) continue;
      const exact = known.get(path);
      if (exact !== undefined && !sameState(exact.before, after)) known.delete(path); // else it is still to be written
      const before = exact === undefined || sameState(exact.before, after) ? last : exact.after;
      if (sameState(before, after)) continue;
      for (const one of turnsOf) {
        const shared = [...turnsOf, ...(exact === undefined || before === last ? [] : [exact.by]), ...cause].filter(
          (other) => other !== one,
        );
        lines.get(one)?.push({ path, before, after, ...(shared.length > 0 && { shared }) });
      }
      if (after.kind === "file" && owners.some(({ untrusted }) => untrusted)) options.untrusted?.(path, after.sha256);
    }
    for (const [one, changed] of lines) {
      const [session = "", turn = ""] = one.split("/");
      const manifest = manifestOf(turns, session, turn);
      for (let at = 0; at < changed.length; at += LINES_AT_ONCE) {
        manifest.append(...changed.slice(at, at + LINES_AT_ONCE));
        await slices.pause();
      }
    }
    await index.replace(found.index, slices);
    store.unpin();
    return { excluded: found.excluded, gaps: found.unnamed.map((path) => ({ gap: "name", text: path })) };
  };

  const close = async (command: OpenCommand): Promise<void> => {
    manifestOf(turns, command.session, command.turn).append({ closed: command.call });
    (await stores()).open.delete(keyOf(command));
  };
  /** Nobody will say any more when they ended: all that happened up to now is theirs. */
  const closeLeft = async (of: (command: OpenCommand) => boolean): Promise<void> => {
    const { open } = await stores();
    const left = [...open.values()].filter((command) => !running.has(keyOf(command)) && of(command));
    if (left.length === 0) return;
    // Whoever worked here after the crash is not told apart from them.
    const { gaps } = await look(false, { cause: ["a crash"] });
    for (const command of left) {
      manifestOf(turns, command.session, command.turn).append(...gaps, {
        gap: "cut-off",
        text: "a command was cut off",
      });
      await close(command);
    }
  };
  const isBusy = async ({ session, turn }: UndoTarget): Promise<boolean> =>
    [...(await stores()).open.values()].some(
      (one) => one.session === session && one.turn === turn && running.has(keyOf(one)),
    );
  /** Nothing that is kept here is worth a failed turn. */
  const guarded = async (
    turn: UndoTarget,
    signal: AbortSignal | undefined,
    work: () => Promise<void>,
  ): Promise<void> => {
    try {
      await serial(work);
    } catch (error) {
      signal?.throwIfAborted();
      log.warn("undo.failed", { message: messageOf(error) });
      try {
        manifestOf(turns, turn.session, turn.turn).append(
          { begun: clock.now(), session: turn.session, turn: turn.turn },
          { gap: "failed", text: messageOf(error) },
        );
      } catch {
        // The disk that refused the copy refuses this too; the log has it.
      }
    }
  };
  const targetOf = ({ sessionId: session, turnId: turn }: Pick<ToolContext, "sessionId" | "turnId">): UndoTarget => ({
    session,
    turn,
  });

  const undo: Undo = {
    commandStarting: (context) => {
      const target = targetOf(context);
      const untrusted = isUntrusted(context.label);
      if (maxBytes === 0 && !untrusted) return Promise.resolve();
      return guarded(target, context.signal, async () => {
        const { open } = await stores();
        // A turn of this conversation that died with the last process has ended by now.
        await closeLeft(({ session, turn }) => session === target.session && turn !== target.turn);
        const manifest = await begin(target.session, target.turn);
        const { excluded, gaps } = await look(true, { signal: context.signal });
        manifest.append(...gaps, { opened: context.callId, untrusted, excluded });
        await manifest.sync();
        const command = { ...target, call: context.callId, untrusted };
        open.set(keyOf(command), command);
        running.add(keyOf(command));
      });
    },
    commandEnded: (context) => {
      const target = targetOf(context);
      return guarded(target, undefined, async () => {
        const key = keyOf({ ...target, call: context.callId });
        const command = (await stores()).open.get(key);
        if (command === undefined) return;
        try {
          const { gaps } = await look(false);
          if (gaps.length > 0) manifestOf(turns, target.session, target.turn).append(...gaps);
        } finally {
          running.delete(key);
        }
        await close(command);
      });
    },
    writing: ({ real, data, made }, context) => {
      const target = targetOf(context);
      if (maxBytes === 0) return Promise.resolve();
      return guarded(target, undefined, async () => {
        const manifest = await begin(target.session, target.turn);
        if (isAbsolute(real)) {
          manifest.append({ gap: "outside", text: real });
          return;
        }
        const { store, index, open } = await stores();
        const before = await keepAt(real, store);
        const after: FileState = { kind: "file", size: data.length, sha256: sha256(data) };
        const seen = index.entries.get(real)?.state ?? ABSENT;
        if (open.size > 0) {
          // Commands are running: what is there by now is theirs, what is written next is not.
          const last = known.get(real)?.after ?? seen;
          if (!sameState(last, before))
            for (const one of open.values())
              manifestOf(turns, one.session, one.turn).append({ path: real, before: last, after: before });
          known.set(real, { by: `${target.session}/${target.turn}`, before, after });
          for (const path of made)
            known.set(path, { by: `${target.session}/${target.turn}`, before: ABSENT, after: { kind: "directory" } });
          if (await room(data.length)) store.put(data);
        }
        manifest.append(...made.map((path): Line => ({ path, before: ABSENT, after: { kind: "directory" } })), {
          path: real,
          before,
          after,
        });
        store.unpin();
        await manifest.sync();
      });
    },
    list: (session) =>
      serial(async () => {
        await closeLeft((command) => session === undefined || command.session === session);
        const found = turnFiles(turns, session).flatMap(({ file }) => readManifest(file) ?? []);
        return found.toSorted((a, b) => b.at - a.at);
      }),
    plan: (target) =>
      serial(async () => {
        if (await isBusy(target)) return "busy";
        await closeLeft(({ session, turn }) => session === target.session && turn === target.turn);
        const changes = readManifest(manifestOf(turns, target.session, target.turn).file);
        return changes && planOf(changes, { ...options, store: (await stores()).store, slices: slicesOf() });
      }),
    apply: ({ id, force = false, ...target }) =>
      serial(async () => {
        if (await isBusy(target)) return "busy";
        await closeLeft(({ session, turn }) => session === target.session && turn === target.turn);
        const { store, open } = await stores();
        const of = manifestOf(turns, target.session, target.turn);
        const changes = readManifest(of.file);
        if (changes === undefined) return undefined;
        const plan = await planOf(changes, { ...options, store, slices: slicesOf() });
        const chosen = plan.items.filter(({ problem }) => problem === undefined || (problem.by === "force" && force));
        // The way back first: what is there now is kept, and which files it is about is on disk.
        const manifest = await begin(target.session, id, target.turn);
        const slices = slicesOf();
        const lines: Line[] = [];
        for (const { path, want } of chosen) {
          const wait = slices.pause();
          if (wait !== undefined) await wait;
          const before = await keepAt(path, store);
          lines.push({ path, before, after: want });
          if (lines.length === LINES_AT_ONCE) manifest.append(...lines.splice(0));
          if (open.size > 0) known.set(path, { by: `${target.session}/${id}`, before, after: want });
        }
        manifest.append(...lines);
        store.unpin();
        await manifest.sync();
        const restored = await restoreAll(workspace, chosen, store, options.maxFileBytes, slicesOf());
        if (restored.every(({ failed }) => failed === undefined) && chosen.length === plan.items.length)
          of.append({ undone: id, at: clock.now() });
        return { plan, restored };
      }),
  };

  /** The state of one path, its content kept. */
  const keepAt = async (path: string, store: ContentStore): Promise<FileState> => {
    const state = await stateAt(workspace, path, options.maxFileBytes);
    if (state.kind !== "file" || state.lost !== undefined || state.sha256 === undefined) return state;
    if (store.has(state.sha256)) return state;
    if (!(await room(state.size))) return { ...state, lost: "full" };
    return withParent(workspace, path, async ({ directory: parent, name }) => {
      using file = openFile(parent.at(name));
      parent.verify({ name, identity: identity(file.stats) });
      return { ...state, sha256: await store.keep(file, file.path) };
    });
  };
  return undo;
}

async function openStores(directory: string, turns: string, slices: Slices): Promise<Stores> {
  fs.mkdirSync(turns, { recursive: true, mode: DIRECTORY_MODE });
  const store = await openContentStore(directory, slices);
  const index = await openIndexFile(join(directory, "index.jsonl"), slices);
  const open = new Map<string, OpenCommand>();
  for (const { file } of turnFiles(turns)) {
    const changes = readManifest(file);
    for (const [call, untrusted] of changes?.open ?? []) {
      const command = { session: changes?.session ?? "", turn: changes?.turn ?? "", call, untrusted };
      open.set(keyOf(command), command);
    }
    const wait = slices.pause();
    if (wait !== undefined) await wait;
  }
  return { store, index, open };
}

function keyOf({ session, turn, call }: Pick<OpenCommand, "session" | "turn" | "call">): string {
  return `${session}/${turn}/${call}`;
}

/** `dev:ino` of what is there of these. */
function identities(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? [] : [identity(stats)];
    }),
  );
}

/** What time the file system gives to a file that is written now. */
function fileTime(directory: string): bigint {
  const path = join(directory, "now");
  fs.writeFileSync(path, "", { mode: FILE_MODE });
  return fs.statSync(path, { bigint: true }).ctimeNs;
}
