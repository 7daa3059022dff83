// The five file tools over one view of the workspace.
import type { BlobStore } from "../contract/services.ts";
import type { Tool } from "../contract/tool.ts";
import { type ReadableRoot, withReadableRoots } from "../platform/readable-roots.ts";
import { safeFiles } from "../platform/safe-files.ts";
import { editFileTool } from "./edit-file.ts";
import type { FileLabels } from "./file-labels.ts";
import { listDirTool } from "./list-dir.ts";
import { PARKED } from "./park.ts";
import { readFileTool } from "./read-file.ts";
import { searchFilesTool } from "./search-files.ts";
import { type UntrustedTest, untrustedTest } from "./untrusted.ts";
import { type BeforeWrite, writeFileTool } from "./write-file.ts";

export interface FileToolsOptions {
  readonly workspace: string;
  /** `tools.restrictToWorkspace`. Default true. */
  readonly restrict?: boolean;
  /** Absolute paths that no tool ever opens: the state directory (R280). */
  readonly protect?: readonly string[];
  /** Where pictures go for the model to see; without it they are refused as binary. */
  readonly blobs?: BlobStore;
  /** `tools.maxResultChars`. Default 16,000. */
  readonly maxResultChars?: number;
  /** Directories of the workspace with received files: not writable, and read as untrusted. Default `inbox`. */
  readonly received?: readonly string[];
  /** Directories outside the workspace that are readable and never written: bundled skills (R205). */
  readonly readable?: readonly ReadableRoot[];
  /** Whether a file of the workspace, by its path in it, is to be read as data: a skill that nobody approved. */
  readonly isUntrusted?: UntrustedTest;
  /** Which files hold what strangers wrote. Without it none is remembered. */
  readonly labels?: FileLabels;
  /** Called before a file of the workspace is written. */
  readonly beforeWrite?: BeforeWrite;
}

/** `read_file`, `write_file`, `edit_file`, `list_dir` and `search_files`. Opens nothing until they are called. */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  const { workspace, restrict = true, protect = [], blobs, maxResultChars = 16_000, received = ["inbox"] } = options;
  const inside = safeFiles({ root: workspace, restrict, protect, readOnly: received });
  const files = withReadableRoots(inside, options.readable ?? []);
  const { labels } = options;
  const isUntrusted = untrustedTest(
    [...received, PARKED],
    async (path, signal) => labels?.byPath(path) === true || (await options.isUntrusted?.(path, signal)) === true,
  );
  const beforeWrite: BeforeWrite = async (write, context) => {
    labels?.writing(write.real, write.data, context.label, write.part);
    await options.beforeWrite?.(write, context);
  };
  return [
    readFileTool({
      files,
      maxResultChars,
      isUntrusted,
      ...(blobs !== undefined && { blobs }),
      ...(labels !== undefined && { labels }),
    }),
    writeFileTool(files, beforeWrite),
    editFileTool(files, beforeWrite),
    listDirTool(files, isUntrusted),
    searchFilesTool({ files, restrict, maxResultChars, isUntrusted }),
  ];
}
