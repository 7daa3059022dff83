/** What is kept of the workspace, within its limits: contents, what each turn changed, and how all was at the last look. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../contract/base.ts";
import { DIRECTORY_MODE } from "../machine/files/files.ts";
import { fileHash } from "../machine/system/hash.ts";
import { type ContentStore, openContentStore } from "./content-store.ts";
import { stateAt } from "./entry.ts";
import type { FileState } from "./file-state.ts";
import { openIndexFile, type IndexFile } from "./index-file.ts";
import { type Manifest, manifestOf, turnsOf, type UndoTarget } from "./manifest.ts";
import { type OpenCommands, readOpenCommands } from "./open-commands.ts";
import { type Limits, prune } from "./prune.ts";
import { createSlices } from "./slices.ts";

export interface CopiesOptions extends Limits {
  readonly directory: string;
  readonly workspace: string;
  readonly maxFileBytes: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

export interface Copies {
  readonly store: ContentStore;
  readonly index: IndexFile;
  readonly open: OpenCommands;
  /** The turn's manifest, there from now on. `undoes`: it is an undo, of that turn. */
  begin(turn: UndoTarget, undoes?: string): Promise<Manifest>;
  /** Makes room for so many bytes. False: there is none. */
  room(bytes: number): Promise<boolean>;
  /** What turns of a session changed, and the contents that they alone name. */
  forget(session: string): Promise<void>;
  /** The state of one path, its content kept. */
  keepAt(path: string): Promise<FileState>;
}

export function turnsIn(directory: string): string {
  return join(directory, "turns");
}

export async function openCopies(options: CopiesOptions): Promise<Copies> {
  const { directory, workspace, maxBytes, maxFileBytes, clock } = options;
  const turns = turnsIn(directory);
  const slices = createSlices(clock);
  fs.mkdirSync(turns, { recursive: true, mode: DIRECTORY_MODE });
  const store = await openContentStore(directory, slices);
  const index = await openIndexFile(join(directory, "index.jsonl"), slices);
  const open = await readOpenCommands(turns, slices);
  const begun = new Set<string>();
  const named = new Set<string>();

  const begin = async ({ session, turn }: UndoTarget, undoes?: string): Promise<Manifest> => {
    const manifest = manifestOf(turns, session, turn, named);
    if (begun.has(manifest.file)) return manifest;
    if (!fs.existsSync(manifest.file)) {
      manifest.append({ begun: clock.now(), session, turn, ...(undoes !== undefined && { undoes }) });
      await tidy(0);
    }
    begun.add(manifest.file);
    return manifest;
  };
  const room = async (bytes: number): Promise<boolean> => {
    if (store.bytes + bytes <= maxBytes) return true;
    if (bytes > maxBytes) return false;
    await tidy(bytes);
    return store.bytes + bytes <= maxBytes;
  };
  /** Forgets what is over the limits; never a turn at work. */
  const tidy = async (bytes: number): Promise<void> => {
    const busy = new Set(open.all().map(({ session, turn }) => manifestOf(turns, session, turn).file));
    const limits = { ...options, maxBytes: maxBytes - bytes };
    named.clear(); // one that goes may come again
    await prune({ turns, store, index: index.entries, limits, busy, now: clock.now(), slices: createSlices(clock) });
  };
  const keepAt = (path: string): Promise<FileState> =>
    stateAt(workspace, path, maxFileBytes, async (file) => {
      const { hash, size } = await fileHash(file);
      if (store.pin(hash)) return { sha256: hash };
      return (await room(size)) ? { sha256: await store.keep(file, file.path) } : { sha256: hash, lost: "full" };
    });
  const forget = async (session: string): Promise<void> => {
    for (const command of open.all()) if (command.session === session) open.close(command);
    fs.rmSync(turnsOf(turns, session), { recursive: true, force: true });
    await tidy(0);
  };
  return { store, index, open, begin, room, keepAt, forget };
}
