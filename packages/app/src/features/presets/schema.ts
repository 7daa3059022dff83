/** Prompts that are kept under a name, on the wire. */
import { z } from "zod";

export const MAX_PRESETS = 100;
export const MAX_PRESET_CHARS = 20_000;

/** Typed behind a slash: letters of any language, digits, `-` and `_`. */
export const PresetName = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,31}$/u);

const Preset = z.strictObject({
  name: PresetName,
  /** `{}` or `{what goes there}` is a place to fill in. */
  text: z.string().min(1).max(MAX_PRESET_CHARS),
});

/** Those of whoever asks, by name. */
export const PresetsSchema = z.strictObject({ items: z.array(Preset) });
export const PresetBody = z.strictObject({ text: Preset.shape.text });
export const PresetQuery = z.strictObject({ name: PresetName });

/** `presets.json`: by person; `owner`. */
export const PresetsFile = z.strictObject({ version: z.literal(1), people: z.record(z.string(), z.array(Preset)) });
