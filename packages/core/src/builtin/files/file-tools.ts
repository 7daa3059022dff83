// The five file tools over one view of the workspace.
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { BlobStore } from "../../contract/services.ts";
import type { Readers } from "../../contract/people.ts";
import type { Tool } from "../../contract/tool.ts";
import { readersInMark } from "../../lib/source-mark.ts";
import { labelledFiles } from "../../lib/labelled-files.ts";
import { type ReadableRoot, withReadableRoots } from "../../machine/files/readable-roots.ts";
import { type FoundFile, type SafeFiles, safeFiles } from "../../machine/files/safe-files.ts";
import { editFileTool } from "./edit-file.ts";
import { contentOf, type FileLabels, MAX_COMPARED_BYTES } from "../../labels/file-labels.ts";
import { withReaders } from "../../labels/file-readers.ts";
import { listDirTool } from "./list-dir.ts";
import { LONG_RESULTS } from "./long-results.ts";
import { readFileTool } from "./read-file.ts";
import { searchFilesTool } from "./search-files.ts";
import type { UnknownRepositories } from "../../labels/unknown-repositories.ts";
import { mountedFiles } from "../../machine/files/mounted-folder.ts";
import type { Mark, Marks } from "./marks.ts";
import { type SharedFolder, type SharedView, viewOf } from "./shared-folder.ts";
import { asUntrusted, type UntrustedTest, untrustedTest } from "../../tools/untrusted.ts";
import type { BeforeWrite, ToldWrite } from "../../contract/tool.ts";
import { writeFileTool } from "./write-file.ts";

export interface FileToolsOptions {
  readonly workspace: string;
  /** `tools.restrictToWorkspace`. Default true. */
  readonly restrict?: boolean;
  /** Absolute paths that no tool ever opens: the state directory. */
  readonly protect?: readonly string[];
  /** Where pictures go for the model to see; without it they are refused as binary. */
  readonly blobs?: BlobStore;
  /** `tools.maxResultChars`. Default 16,000. */
  readonly maxResultChars?: number;
  /** Directories of the workspace with received files: not writable, and read as untrusted. Default `inbox`. */
  readonly received?: readonly string[];
  /** Directories outside the workspace that are readable and never written: bundled skills. */
  readonly readable?: readonly ReadableRoot[];
  /** Whether a file of the workspace, by its path in it, is to be read as data: a skill that nobody approved. */
  readonly isUntrusted?: UntrustedTest;
  /** Which files hold what strangers wrote. Without it none is remembered. */
  readonly labels?: FileLabels;
  /** Repositories of which nobody said whose they are. Without it whatever was cloned is the operator's. */
  readonly unknown?: Pick<UnknownRepositories, "around">;
  /** Called before a file of the workspace is written. */
  readonly beforeWrite?: BeforeWrite;
  /** A folder beside the workspace that others read and write too. */
  readonly shared?: SharedFolder;
}

/** `read_file`, `write_file`, `edit_file`, `list_dir` and `search_files`. Opens nothing until they are called. */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  const { workspace, restrict = true, protect = [], blobs, maxResultChars = 16_000, received = ["inbox"] } = options;
  const { labels, unknown } = options;
  const plain = safeFiles({ root: workspace, restrict, protect, readOnly: received });
  const inside = labels === undefined ? plain : { ...plain, write: writeAndMeet(plain, workspace, labels) };
  const own = withReadableRoots(inside, options.readable ?? []);
  const shared = options.shared && viewOf(options.shared);
  const files = options.shared === undefined ? own : mountedFiles(own, { ...options.shared, protect });
  const isReceived = untrustedTest([...received, LONG_RESULTS], options.isUntrusted);
  const isUntrusted: UntrustedTest = async (path, signal) => {
    await unknown?.around(path);
    return labels?.byPath(path) === true || (await isReceived(path, signal));
  };
  const hasLoudNames = async (directory: string): Promise<boolean> => {
    await unknown?.around(directory);
    return labels?.byNames(directory === "" ? "." : directory) === true || labels?.byPath(directory) === true;
  };
  const beforeWrite: ToldWrite = async (write, context) => {
    if (shared?.holds(write.real) === true) {
      await shared.beforeWrite(write, context);
      return undefined;
    }
    const isNew = labels?.writing(write.real, write.data, context.label, write.part) === true;
    await options.beforeWrite?.(write, context);
    return labelledFiles(Number(isNew));
  };
  const marks = marksOf({ files, isUntrusted, isReceived, hasLoudNames, labels, shared });
  return [
    readFileTool({ files, maxResultChars, marked: marks.ofFile, ...(blobs !== undefined && { blobs }) }),
    writeFileTool(files, beforeWrite),
    editFileTool(files, beforeWrite, marks.ofFile),
    listDirTool(files, marks),
    searchFilesTool({
      files,
      restrict,
      maxResultChars,
      ofLines: marks.ofLines,
      ...(shared !== undefined && { hashedBelow: shared.prefix }),
    }),
  ];
}

/** A new file is known under any name at once: a person may move it before a command meets it, and a short content tells nothing. */
function writeAndMeet(files: SafeFiles, workspace: string, labels: FileLabels): SafeFiles["write"] {
  return async (path, data, write = {}) => {
    let at: string | undefined;
    const before = async (real: string, made: readonly string[]): Promise<void> => {
      at = isAbsolute(real) ? undefined : real;
      await write.before?.(real, made);
    };
    await files.write(path, data, { ...write, before });
    const stats =
      at === undefined ? undefined : fs.lstatSync(join(workspace, at), { bigint: true, throwIfNoEntry: false });
    if (at !== undefined && stats?.isFile() === true) labels.met(at, stats);
  };
}

interface MarksOptions {
  readonly files: Pick<SafeFiles, "read">;
  /** Whether what stands at a path is a stranger's. */
  readonly isUntrusted: UntrustedTest;
  /** Whether a stranger chose the name of an entry. */
  readonly isReceived: UntrustedTest;
  /** Whether the names in a directory together are a stranger's text. */
  readonly hasLoudNames: (directory: string) => Promise<boolean>;
  readonly labels: FileLabels | undefined;
  readonly shared: SharedView | undefined;
}

function marksOf(options: MarksOptions): Marks {
  const { isUntrusted, labels, shared } = options;
  const asOthers: Mark = shared?.asOthers ?? asUntrusted;
  const readersOf = async (files: readonly string[]): Promise<readonly Readers[]> => {
    const known = files.flatMap((file) => labels?.readers?.of(file) ?? []);
    const inMemory = files
      .filter((file) => file.startsWith(MEMORY))
      .map(async (path) => {
        using file = await options.files.read(path);
        return await readersInMemory(path, file.bytes);
      });
    return [...known, ...(await Promise.all(inMemory)).flat()];
  };
  return {
    ofFile: async (file, signal) => {
      if (shared?.holds(file.real) === true) return (await shared.isOwn(file)) ? asIs : asOthers;
      const hash = await hashOf(file, labels);
      // The same content as a file that a stranger wrote.
      const isCopy = hash !== undefined && labels?.hashedAt(hash) !== undefined;
      const isOthers = (await isUntrusted(file.real, signal)) || isCopy;
      const readers = await readersIn(file.real, { hash, bytes: file.bytes }, labels);
      return forReaders(isOthers ? asUntrusted : asIs, readers);
    },
    ofLines: async (files, hashes, signal) => {
      const isOthers = (file: string): boolean =>
        shared?.holds(file) === true && !shared.isOwnContent(file, hashes.get(file));
      if (files.some(isOthers)) return forReaders(asOthers, await readersOf(files));
      for (const file of files)
        if ((await options.hasLoudNames(parentOf(file))) || (await isUntrusted(file, signal)))
          return forReaders(asUntrusted, await readersOf(files));
      return forReaders(asIs, await readersOf(files));
    },
    ofNames: async (directory, entries, signal) => {
      const prefix = directory === "" || directory === "." ? "" : directory.replace(/\/?$/, "/");
      const names = entries.map(({ name }) => `${prefix}${name}`);
      if (shared?.holds(directory) === true && !names.every(shared.isOwnName)) return asOthers;
      if (await options.hasLoudNames(prefix.slice(0, -1))) return asUntrusted;
      for (const name of names) if (await options.isReceived(name, signal)) return asUntrusted;
      return asIs;
    },
  };
}

const asIs: Mark = (result) => result;

/** Nobody else is told of it than who may read the file. */
function forReaders(mark: Mark, readers: readonly Readers[]): Mark {
  return readers.length === 0 ? mark : (result) => withReaders(mark(result), readers);
}

/** Who may read what stands in a file, where not everybody who reads the folder may. */
export async function readersIn(
  real: string,
  content: { readonly hash: string | undefined; readonly bytes: () => Promise<Uint8Array> },
  labels: Pick<FileLabels, "readers"> | undefined,
): Promise<readonly Readers[]> {
  const known = labels?.readers?.of(real, content.hash) ?? [];
  return [...known, ...(await readersInMemory(real, content.bytes))];
}

/** Where lines say whose they are. */
const MEMORY = "memory/";

async function readersInMemory(real: string, bytes: () => Promise<Uint8Array>): Promise<readonly Readers[]> {
  return real.startsWith(MEMORY) ? (readersInMark(Buffer.from(await bytes()).toString("utf8")) ?? []) : [];
}

/** Undefined: no content is known, or it is too large to be. */
async function hashOf(file: FoundFile, labels: FileLabels | undefined): Promise<string | undefined> {
  const isNoneKnown = labels === undefined || (labels.empty && labels.readers === undefined);
  return isNoneKnown || file.stats.size > MAX_COMPARED_BYTES ? undefined : contentOf(await file.bytes()).sha256;
}

function parentOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}
