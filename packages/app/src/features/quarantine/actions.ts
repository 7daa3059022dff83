/** What `margay quarantine` asks for. */
import { z } from "zod";
import type { Quarantined, Removed, TakenBack } from "@margay/core/internal";
import { operation } from "../../host/control/operation.ts";

/** Of many the texts would be long. */
export type ListedAside = Omit<Quarantined, "text" | "cut">;

export const QUARANTINE_OPERATIONS = {
  "quarantine.list": operation(z.strictObject({}), async (_input, { app }): Promise<readonly ListedAside[]> =>
    (await app.inside.quarantine.list()).map(({ text: _text, cut: _cut, ...item }) => item),
  ),
  "quarantine.show": operation(
    z.strictObject({ id: z.string() }),
    async ({ id }, { app }): Promise<{ readonly item?: Quarantined }> => {
      const item = (await app.inside.quarantine.list()).find((one) => one.id === id);
      return item === undefined ? {} : { item };
    },
  ),
  "quarantine.restore": operation(
    z.strictObject({ id: z.string(), sha256: z.string() }),
    ({ id, sha256 }, { app }): Promise<TakenBack> => app.inside.quarantine.takeBack(id, sha256, "user"),
  ),
  "quarantine.delete": operation(z.strictObject({ id: z.string() }), ({ id }, { app }): Promise<Removed> =>
    app.inside.quarantine.remove(id, "user"),
  ),
} as const;
