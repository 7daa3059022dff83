/** Devices that are told when something waits, on the wire. */
import { z } from "zod";
import { Id, Millis } from "../../protocol/common.ts";

const Base64Url = z.string().regex(/^[\w-]+={0,2}$/);
export const MAX_ENDPOINT_CHARS = 2_000;

export const PushSchema = z.strictObject({
  /** `applicationServerKey` of a subscription: the uncompressed point, base64url. */
  key: z.string(),
  /** Those of whoever asks, on all their devices; the newest first. */
  items: z.array(
    z.strictObject({
      id: Id,
      /** Of the browser that asks. */
      current: z.boolean(),
      /** Host of its push service. */
      service: z.string(),
      /** It has not taken the last message yet. */
      unsent: z.boolean(),
      userAgent: z.string(),
      createdAt: Millis,
    }),
  ),
});

/** What `PushSubscription.toJSON()` says, and the language of the page. */
export const SubscribeBody = z.strictObject({
  endpoint: z.url({ protocol: /^https$/ }).max(MAX_ENDPOINT_CHARS),
  keys: z.strictObject({ p256dh: Base64Url.max(100), auth: Base64Url.max(50) }),
  language: z.enum(["en", "zh-CN"]),
});

export const SubscribedSchema = z.strictObject({ id: Id });

/** `push.json`: the key of this home, who is told, and what they were told. */
export const PushState = z.strictObject({
  version: z.literal(1),
  key: z.strictObject({ x: z.string(), y: z.string(), d: z.string() }),
  /** By person; `owner`. What waits and was told, or was seen: never twice. */
  readers: z.record(
    z.string(),
    z.strictObject({
      told: z.array(z.string()),
      /** Conversations in which a turn ended while nobody looked. */
      done: z.array(z.strictObject({ session: z.string(), seq: z.number() })),
    }),
  ),
  subscriptions: z.array(
    z.strictObject({
      id: z.string(),
      /** Credential of the browser: it ends with that. */
      login: z.string(),
      for: z.string().optional(),
      endpoint: z.string(),
      keys: z.strictObject({ p256dh: z.string(), auth: z.string() }),
      language: z.enum(["en", "zh-CN"]),
      userAgent: z.string(),
      createdAt: z.number(),
      /** The count it shows. */
      shown: z.number(),
      /** Not taken by the push service yet. */
      owed: z
        .strictObject({
          count: z.number(),
          to: z.string(),
          quiet: z.boolean(),
          /** Asked for by who looks at the page: it leaves whatever waits. */
          trial: z.literal(true).optional(),
          attempts: z.number(),
          nextAt: z.number(),
        })
        .optional(),
    }),
  ),
});
