/** What clients of the seed view send. */
import { z } from "zod";

const Name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.:-]+$/);
const session = { session_id: Name.optional(), sessionId: Name.optional() };
const Files = z.array(z.string().min(1).max(1000)).max(20);

export const SEED_FRAMES = {
  message: z.strictObject({
    type: z.literal("message"),
    ...session,
    content: z.string().max(1_000_000),
    media: Files.optional(),
    attachments: Files.optional(),
  }),
  subscribe: z.strictObject({ type: z.literal("subscribe"), ...session }),
  unsubscribe: z.strictObject({ type: z.literal("unsubscribe"), ...session }),
  cancel: z.strictObject({ type: z.literal("cancel"), ...session }),
  ping: z.strictObject({ type: z.literal("ping"), ...session }),
} as const;
