/** What a killed process left of unfinished writes goes before the first message (FS10). */
import type { Logger } from "../contract/base.ts";
import { messageOf } from "../lib/errors.ts";
import { isMissing } from "./files.ts";
import { safeFiles } from "./safe-files.ts";

/**
 * Sweeps at the first call only: later there are unfinished writes of our own. Never rejects, since an agent that
 * cannot tidy up can still work.
 */
export function createSweep(workspace: string, log: Logger): () => Promise<void> {
  let swept: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      await safeFiles({ root: workspace, restrict: true }).sweep();
    } catch (error) {
      if (!isMissing(error)) log.warn("leftovers.kept", { message: messageOf(error) }); // there may be no workspace yet
    }
  };
  return () => (swept ??= sweep());
}
