/** Vouching for files that strangers had a hand in, as chats, commands and the gateway ask for it: each is a record. */
import type { LabelledFiles } from "@margay/core/internal";
import { createFileEndorsement, type FileLabels } from "@margay/core/internal";
import type { AppAudit } from "../../host/audit-events.ts";

export function trustFiles(
  workspace: string,
  { labels, audit }: { readonly labels: FileLabels; readonly audit: Pick<AppAudit, "record"> },
): LabelledFiles {
  const files = createFileEndorsement(workspace, labels);
  return {
    list: files.list,
    disown: async (paths) => files.disown(paths),
    endorse: async (shown, by) => {
      const done = await files.endorse(shown);
      for (const [at, { path, status }] of done.entries())
        if (status === "endorsed") audit.record("file.trusted", { path, sha256: shown[at]?.sha256 ?? "", by });
      return done;
    },
  };
}
