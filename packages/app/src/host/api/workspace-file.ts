/** Files of the workspace, for looking at: inside only, no link leads out, never the agent's own state. */
import { hasCode } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { safeFiles, type SafeFiles } from "@margay/core/internal";
import { Problem } from "./problem.ts";
import type { Services } from "./services.ts";

/** Whose files are meant. */
interface Folder {
  readonly workspace: string;
}

const MAX_FILE_BYTES = 26_214_400;

export function workspaceFiles({ app }: Pick<Services, "app">, { workspace }: Folder): SafeFiles {
  return safeFiles({ root: workspace, restrict: true, protect: [app.loaded.places.home] });
}

/** @throws Problem `media.not-found`, `request.too-large`. */
export function readWorkspaceFile(services: Services, folder: Folder, path: string): Promise<Uint8Array> {
  return orNotFound(path, async () => {
    using file = await workspaceFiles(services, folder).read(path);
    if (file.stats.size > MAX_FILE_BYTES) throw new Problem("request.too-large", "The file is larger than 25 MiB.");
    return await file.bytes(); // before it is closed
  });
}

/** Outside, missing, a link, the agent's own state: all of it is not there. */
export async function orNotFound<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (hasCode(error, "tool.refused") || /ENOENT|ENOTDIR|EISDIR|ELOOP|EACCES/.test(messageOf(error)))
      throw new Problem("media.not-found", `There is nothing to read at ${path.slice(0, 200)} in the workspace.`);
    throw error;
  }
}
