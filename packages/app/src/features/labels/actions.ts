/** What `margay trust` asks for. */
import { z } from "zod";
import { operation } from "../../host/control/operation.ts";

export const TRUST_OPERATIONS = {
  "trust.list": operation(z.strictObject({ paths: z.array(z.string()) }), ({ paths }, { app }) =>
    app.inside.labelledFiles.list(paths),
  ),
  /** As they were shown. */
  "trust.endorse": operation(
    z.strictObject({ shown: z.array(z.object({ path: z.string(), sha256: z.string().optional() })) }),
    ({ shown }, { app }) =>
      app.inside.labelledFiles.endorse(
        shown.map(({ path, sha256 }) => ({ path, ...(sha256 !== undefined && { sha256 }) })),
        "user",
      ),
  ),
  "trust.disown": operation(z.strictObject({ paths: z.array(z.string()) }), ({ paths }, { app }) =>
    app.inside.labelledFiles.disown(paths),
  ),
} as const;
