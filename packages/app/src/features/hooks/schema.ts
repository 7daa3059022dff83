/** Wire shapes of webhooks that come in. */
import { z } from "zod";
import { numberOf, page } from "../../protocol/common.ts";
import { MaskSchema, SecretInput } from "../settings/schema.ts";

export const HookName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i);
const HeaderName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/);

const HookScheme = z.union([
  z.enum(["standard", "github", "slack"]),
  z.strictObject({
    header: HeaderName,
    algorithm: z.literal("hmac-sha256"),
    encoding: z.enum(["hex", "base64"]),
    prefix: z.string().max(100).optional(),
    /** With one the signature covers `timestamp.body`. */
    timestampHeader: HeaderName.optional(),
    idHeader: HeaderName.optional(),
  }),
]);

const HookSchema = z.strictObject({
  name: z.string(),
  /** Below the gateway's own address. */
  path: z.string(),
  scheme: HookScheme,
  secret: MaskSchema,
  session: z.string(),
  prompt: z.string(),
  deliver: z.array(z.string()),
  filter: z.string().optional(),
  budgetUsdPerDay: z.number().optional(),
  agent: z.string().optional(),
  hash: z.string(),
  last: z.strictObject({ at: z.number(), status: z.string() }).optional(),
});
export const HooksSchema = z.array(HookSchema);

export const HookBody = z.strictObject({
  scheme: HookScheme.optional(),
  secret: SecretInput.optional(),
  session: z.string().min(1).max(300).optional(),
  prompt: z.string().min(1).max(20_000).optional(),
  deliver: z.array(z.string().max(300)).max(20).meta({ format: "lines" }).optional(),
  filter: z.string().max(2000).meta({ format: "line" }).nullish(),
  budgetUsdPerDay: numberOf("gateway.hooks.*.budgetUsdPerDay").nullish(),
  agent: z.string().max(32).nullish(),
});

/** `generated`: a secret that was made because none was given; shown this once. */
export const HookSaved = HookSchema.extend({ generated: z.string().optional() });

export const HookTestBody = z.strictObject({
  /** What a sender could send. Default: `{}`. */
  body: z.string().max(100_000).optional(),
  headers: z.record(HeaderName, z.string().max(2000)).optional(),
});

const DeliverySchema = z.strictObject({
  at: z.number(),
  id: z.string().optional(),
  status: z.enum(["accepted", "duplicate", "ignored", "refused"]),
  reason: z.string().optional(),
  session: z.string().optional(),
  bytes: z.number(),
});
export const DeliveriesSchema = page(DeliverySchema);

export const HookAnswer = z.union([
  z.strictObject({ accepted: z.literal(true) }),
  z.strictObject({ duplicate: z.literal(true) }),
  z.strictObject({ ignored: z.literal(true) }),
]);

export type HookView = z.infer<typeof HookSchema>;
