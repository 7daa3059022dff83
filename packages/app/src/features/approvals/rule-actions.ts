/** What `margay approvals rules` and `forget` ask for. */
import { z } from "zod";
import type { SavedRule } from "@margay/core/internal";
import { operation } from "../../host/control/operation.ts";

export const RULE_OPERATIONS = {
  "rules.list": operation(z.strictObject({}), (_input, { app }): readonly SavedRule[] => app.inside.savedRules.list()),
  /** The rule that was taken back; null: the id means none, or several. */
  "rules.remove": operation(
    z.strictObject({ id: z.string() }),
    async ({ id }, { app }): Promise<SavedRule | null> => (await app.inside.savedRules.remove(id)) ?? null,
  ),
} as const;
