/** What another command did, for the audit log: only the process that holds the lock writes there. */
import { z } from "zod";
import { operation } from "../../host/control/operation.ts";
import { RECORDED } from "../../host/control/recorded.ts";

export const AUDIT_OPERATIONS = {
  "audit.record": operation(
    z.strictObject({ name: z.enum(RECORDED), data: z.record(z.string(), z.json()) }),
    async ({ name, data }, { app }) => {
      app.audit.record(name, data);
      await app.audit.flush();
      return { recorded: true };
    },
  ),
} as const;
