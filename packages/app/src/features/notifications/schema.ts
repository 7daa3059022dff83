/** What a person should look at, on the wire: never what was said. */
import { z } from "zod";
import { Id, Millis } from "../../protocol/common.ts";

export const NotificationsSchema = z.strictObject({
  /** Events that nobody has seen. */
  unseen: z.number().int(),
  /** The newest first. */
  items: z.array(
    z.strictObject({
      /** Of the latest event in it: another one when there was a new event. */
      id: z.string(),
      at: Millis,
      /** `result`: no chat got it. `undeliverable`: nothing was asked of the model, for nobody would have got it. `paused`: a job that failed again and again. `question`: one waits, and no chat got it. `suspended`: a plugin has changed or failed, and is used no more. */
      kind: z.enum(["result", "undeliverable", "paused", "question", "suspended"]),
      /** `heartbeat`, `greeting`, `cron:{job}`, `hook:{name}`, `plugin:{name}`; of a question its conversation. */
      about: z.string(),
      /** The conversation with the text. Null: there is none yet. */
      session: Id.nullable(),
      /** Events in it. */
      count: z.number().int(),
      seen: z.boolean(),
    }),
  ),
});

export const SeenBody = z.strictObject({ ids: z.array(z.string().max(300)).max(200) });
