/** Persons beside the owner, as the API tells them. */
import { z } from "zod";

export const PeopleSchema = z.array(
  z.strictObject({
    /** The short name. */
    person: z.string(),
    name: z.string().optional(),
    role: z.enum(["member", "operator"]),
    /** `channel:id`. */
    ids: z.array(z.string()),
    tokensPerDay: z.number().int().optional(),
  }),
);
