/** What a new chat begins with, on the wire: what waits, what ran, what comes, what it cost, whether all is well. */
import { z } from "zod";
import { CostUsd, Id, Millis } from "../../protocol/common.ts";

export const HomeQuery = z.strictObject({
  /** Of the last visit: what ran since then. Default: a day ago. */
  since: z.coerce.number().int().nonnegative().optional(),
});

const Ran = z.strictObject({
  job: z.string(),
  name: z.string(),
  at: Millis,
  ok: z.boolean(),
  /** A one-time job that had its time: it is in the schedule no more. */
  ended: z.literal(true).optional(),
  /** Of its runs. */
  session: Id.optional(),
});

const Health = z.strictObject({
  at: Millis,
  total: z.number().int(),
  failing: z.number().int(),
  warnings: z.number().int(),
});
export const HealthSchema = z.strictObject({ health: Health.nullable() });

/** A part is null when it could not be read; the others are there all the same. */
export const HomeSchema = z.strictObject({
  /** Nothing was ever said, and nothing is scheduled. */
  isNew: z.boolean(),
  waits: z
    .strictObject({
      questions: z.number().int(),
      /** Conversations that ask, the longest ago first, few of them. Without a title: it is another person's. */
      asking: z.array(z.strictObject({ session: Id, title: z.string() })),
      /** Replies that were given up on. */
      deliveries: z.number().int(),
      /** Chat apps of those. */
      channels: z.array(z.string()),
    })
    .nullable(),
  ran: z.strictObject({ since: Millis, total: z.number().int(), items: z.array(Ran) }).nullable(),
  /** The job that is due first; absent: none is. */
  next: z.strictObject({ job: z.string(), name: z.string(), at: Millis }).optional().nullable(),
  spent: z
    .strictObject({
      costUsd: CostUsd,
      tokens: z.number().int(),
      /** What a day may cost. Absent: as much as it will. */
      dayUsd: z.number().optional(),
    })
    .nullable(),
  /** Of a look of the doctor that is not old; absent: one is under way, and `GET /home/health` has it. */
  health: Health.optional().nullable(),
  workspace: z.strictObject({ name: z.string(), entries: z.number().int() }).nullable(),
  /** One that can be used now. */
  skill: z.strictObject({ name: z.string(), description: z.string() }).optional().nullable(),
});

export type Home = z.infer<typeof HomeSchema>;
