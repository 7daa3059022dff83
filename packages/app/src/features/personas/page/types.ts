/** Personas as the gateway tells them. */
import type { z } from "zod";
import type { PersonaActiveResult, PersonaPreview, PersonaSchema } from "../schema.ts";

export type Persona = z.infer<typeof PersonaSchema>;
export type Preview = z.infer<typeof PersonaPreview>;
export type Chosen = z.infer<typeof PersonaActiveResult>;
