/** Whether a change is one of what runs when somebody starts it: of the part that runs, not of the text around it. */
import { runsWhenCalled } from "../lib/paths/runs-later.ts";
import type { FoundChange } from "../labels/new-entries.ts";
import type { ContentStore } from "./content-store.ts";
import { stateAt } from "./entry.ts";
import { isContinued } from "./file-state.ts";

const EXECUTABLE = 0o111;
/** Of a package.json with more nobody looks for what changed. */
const MAX_BYTES = 1024 * 1024;

/** @param workspace its path. @param store contents of earlier files, as far as they were kept. */
export async function startsOtherwise(
  { path, before, after }: FoundChange,
  { workspace, store }: { readonly workspace: string; readonly store: Pick<ContentStore, "read"> },
): Promise<boolean> {
  if (after.kind !== "file" || /(?:^|\/)\.git\//.test(path)) return false;
  const isProgram = ((after.mode ?? 0) & EXECUTABLE) !== 0;
  const wasProgram = before.kind === "file" && ((before.mode ?? 0) & EXECUTABLE) !== 0;
  if (isProgram && !wasProgram) return true;
  if (isContinued(before, after)) return false;
  if (!/(?:^|\/)package\.json$/i.test(path)) return isProgram || runsWhenCalled(path);
  const old = before.kind === "file" && before.sha256 !== undefined ? store.read(before.sha256) : undefined;
  if (old === undefined && before.kind !== "absent") return true; // what it was nobody knows
  let now: Buffer | undefined;
  await stateAt(workspace, path, MAX_BYTES, async (file) => {
    now = await file.bytes();
    return { sha256: "" };
  }).catch(() => undefined);
  return now === undefined || startedParts(old) !== startedParts(now);
}

/** What npm and Node.js start of a package. */
function startedParts(data: Buffer | undefined): string {
  try {
    const { scripts = {}, bin = {} } = JSON.parse(data?.toString("utf8") ?? "{}") as {
      readonly scripts?: unknown;
      readonly bin?: unknown;
    };
    return JSON.stringify([scripts, bin]);
  } catch {
    return data?.toString("latin1") ?? ""; // npm would not read it either: any change counts
  }
}
