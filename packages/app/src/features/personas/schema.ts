/** Personas: twelve that came with margay, and the person's own. */
import { z } from "zod";
import { CostUsd, UsageSchema } from "../../protocol/common.ts";

const PersonaId = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .max(64);

const Texts = {
  name: z.string().min(1).max(60),
  description: z.string().max(500).meta({ format: "line" }),
  traits: z.array(z.string().min(1).max(60)).max(12).meta({ format: "lines" }),
  style: z.string().max(500),
  /** Said in place of everything above. */
  custom: z.string().max(2000).optional(),
};

export const PersonaCreate = z.strictObject({ id: PersonaId, ...Texts });
export const PersonaWrite = z.strictObject(Texts);
export const PersonaSchema = z.strictObject({
  id: z.string(),
  ...Texts,
  hash: z.string(),
  builtin: z.boolean(),
  /** The one of all chats that chose none of their own. */
  active: z.boolean(),
});
export const PersonaList = z.strictObject({ items: z.array(PersonaSchema), active: z.string().nullable() });

export const PersonaActive = z.strictObject({
  /** Null: SOUL.md speaks; in a chat: as everywhere. */
  id: z.string().max(64).nullable(),
  /** In this chat only. */
  session: z.string().max(64).optional(),
});
export const PersonaActiveResult = z.strictObject({
  id: z.string().nullable(),
  session: z.string().optional(),
  /** `next-turn`: the chat begins a new prompt. `next-epoch`: chats at work keep theirs until it is made anew. */
  effect: z.enum(["next-turn", "next-epoch"]),
});

export const PersonaDuplicate = z.strictObject({ id: PersonaId.optional(), name: Texts.name.optional() });
export const PersonaSample = z.strictObject({ message: z.string().min(1).max(2000) });
export const PersonaPreview = z.strictObject({ text: z.string(), usage: UsageSchema, costUsd: CostUsd });
