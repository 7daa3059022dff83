/** Wire shapes of providers and models. */
import { z } from "zod";
import { integerOf } from "../../protocol/common.ts";
import { MaskSchema, SecretInput } from "../settings/schema.ts";

export const ProviderId = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/i);
const WireSchema = z.enum(["anthropic", "openai-chat", "openai-responses", "google"]);
/** `provider/model`. */
const ModelName = z
  .string()
  .max(300)
  .regex(/^[a-z0-9][a-z0-9_.-]*\/\S+$/i);

export const ProviderSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Absent for a plugin, which brings its own. */
  wire: WireSchema.optional(),
  group: z.enum(["cloud", "china", "local", "plugin", "custom"]),
  baseUrl: z.string().optional(),
  key: MaskSchema,
  headers: z.record(z.string(), MaskSchema),
  /** The configuration has something of it. */
  configured: z.boolean(),
  /** It has a key or needs none. */
  usable: z.boolean(),
  keyHelp: z.string(),
  /** Where the vendor makes keys. */
  keyPage: z.string().optional(),
  /** A key that begins so is one of this vendor. */
  keyPrefixes: z.array(z.string()),
  /** What else people call it. */
  aliases: z.array(z.string()),
  models: z.array(z.string()),
  hash: z.string(),
});
export const ProvidersSchema = z.array(ProviderSchema);

export const DetectedSchema = z.strictObject({
  env: z.array(z.strictObject({ provider: z.string(), variable: z.string() })),
  local: z.array(
    z.strictObject({
      kind: z.string(),
      /** Its id among the providers. */
      provider: z.string(),
      url: z.string(),
      models: z.array(z.string()),
    }),
  ),
});

const HeaderName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/);
const HeadersInput = z.record(HeaderName, z.union([SecretInput, z.string().max(8192), z.null()]));
const ModelsInput = z
  .array(z.strictObject({ id: z.string().min(1).max(300), window: integerOf("models.*.contextWindow").optional() }))
  .max(500);

export const ProviderBody = z.strictObject({
  wire: WireSchema.optional(),
  baseUrl: z.string().max(2048).meta({ format: "uri" }).optional(),
  key: SecretInput.nullish(),
  headers: HeadersInput.optional(),
  models: ModelsInput.optional(),
  /** The address is one of this machine or the local network, and that is meant. */
  allowPrivate: z.boolean().optional(),
});

export const ProviderTestBody = z.strictObject({
  /** Of a provider there is; what else is given holds over what is saved of it. */
  id: ProviderId.optional(),
  wire: WireSchema.optional(),
  baseUrl: z.string().max(2048).meta({ format: "uri" }).optional(),
  key: SecretInput.nullish(),
  headers: HeadersInput.optional(),
  /** The model's name without the provider. */
  model: z.string().min(1).max(300).optional(),
  /** Also ask the model for one word. */
  live: z.boolean().optional(),
  allowPrivate: z.boolean().optional(),
});

/** What a draft is asked for its models with. */
export const ProviderDraftBody = ProviderTestBody.omit({ model: true, live: true }).extend({ id: ProviderId });

const ModelSchema = z.strictObject({
  id: z.string(),
  window: z.number().int(),
  maxOutput: z.number().int(),
  vision: z.boolean(),
  tools: z.boolean(),
  thinking: z.boolean(),
  /** US dollars per million tokens. */
  price: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
      /** Of the built-in table: the day it was read. */
      asOf: z.string().optional(),
      source: z.string(),
    })
    .optional(),
});
export const ModelsSchema = z.array(ModelSchema);

export const ActiveModelBody = z.strictObject({
  model: ModelName.nullable(),
  fallbackModels: z.array(ModelName).max(20).optional(),
  memoryModel: ModelName.nullish(),
});
export const ActiveModelSchema = z.strictObject({
  /** What answers, in order; empty: practice mode. */
  chain: z.array(z.strictObject({ model: z.string(), window: z.number().int(), missingKey: z.string().optional() })),
  memoryModel: z.string().nullable(),
  practice: z.boolean(),
  hash: z.string(),
});

/** Of the model that does not answer. */
export const InsteadQuery = z.strictObject({ model: ModelName });
export const InsteadSchema = z.strictObject({
  /** The next of the configured order that has its key, else one of another provider that can be used. */
  fallback: z.string().optional(),
  /** One that costs nothing: of a server on this machine, or whose price is 0. */
  free: z.string().optional(),
});

export type InsteadView = z.infer<typeof InsteadSchema>;
export type ProviderView = z.infer<typeof ProviderSchema>;
export type ModelView = z.infer<typeof ModelSchema>;
export type ActiveModel = z.infer<typeof ActiveModelSchema>;
