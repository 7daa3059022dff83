/** Wire shapes of taking over the home of another system. */
import { z } from "zod";

export const HomesSchema = z.strictObject({
  items: z.array(z.strictObject({ kind: z.enum(["nanobot", "countbot", "openclaw"]), path: z.string() })),
  /** Why the last one was not taken over. */
  fault: z.string().optional(),
});

export const HomeBody = z.strictObject({ path: z.string().min(1).max(4096) });

const Count = z.number().int();

export const HomePlanSchema = z.strictObject({
  kind: z.enum(["nanobot", "countbot", "openclaw"]),
  path: z.string(),
  /** Of what is new or merged, by what it is. */
  takes: z.strictObject({
    config: Count,
    workspace: Count,
    memory: Count,
    session: Count,
    job: Count,
    skill: Count,
    other: Count,
  }),
  /** Stays out, each with its reason. */
  leftOut: z.array(z.strictObject({ from: z.string(), reason: z.string() })),
  /** More stay out than are named. */
  more: z.boolean(),
});

export type FoundHomes = z.infer<typeof HomesSchema>;
export type HomePlan = z.infer<typeof HomePlanSchema>;
