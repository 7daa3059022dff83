/** Wire shapes of channels, pairings, contacts and the outbox. */
import { z } from "zod";
import { AddressSchema, page } from "../../protocol/common.ts";
import { MaskSchema, SecretInput } from "../settings/schema.ts";

const CanSchema = z.strictObject({
  edit: z.boolean(),
  buttons: z.boolean(),
  media: z.boolean(),
  maxChars: z.number(),
});

const ChannelKindSchema = z.strictObject({
  kind: z.string(),
  title: z.string(),
  schema: z.record(z.string(), z.json()),
  guide: z.strictObject({ en: z.string(), zh: z.string() }),
  needs: z.enum(["poll", "socket", "webhook"]),
  /** By what a person logs in; `none`: settings are typed in. */
  login: z.enum(["none", "qr", "code"]),
  can: CanSchema,
});

export const ChannelKindsSchema = z.array(
  z.union([
    ChannelKindSchema,
    z.strictObject({
      kind: z.string(),
      title: z.string(),
      /** Not installed: `margay plugin add` takes this name. */
      plugin: z.string(),
    }),
  ]),
);

const SessionManner = z.enum(["perThread", "perChat", "perSender"]);
const Approvals = z.enum(["private", "here"]);
const GroupMode = z.enum(["off", "named", "all", "listen"]);

/** How margay behaves in groups of a channel where nothing else is said, as a form has it. */
export const MannersBody = z.strictObject({
  groups: GroupMode,
  names: z.array(z.string().max(80)).max(20).meta({ format: "lines" }).optional(),
  follow: z.boolean(),
  bots: z.enum(["heard", "named"]),
  live: z.enum(["private", "on", "off"]),
});

/** The same of one group. */
export const GroupBody = z.strictObject({
  groups: z.enum(["usual", ...GroupMode.options]),
  allow: z.array(z.string().max(200)).max(1000).meta({ format: "lines" }).optional(),
});

export const GroupsSchema = z.strictObject({
  /** Of the settings: they are changed with `PATCH /settings`. */
  hash: z.string(),
  /** The usual manner, for groups of which nothing else is said. */
  usual: GroupMode,
  groups: z.array(
    z.strictObject({
      chat: z.string(),
      /** What the platform calls it. */
      title: z.string().optional(),
      /** What holds now. */
      manner: GroupMode,
      /** What the settings say of this group. Absent: nothing, and the usual manner holds where it is called in. */
      own: GroupMode.optional(),
      /** It stands in `channels.*.chats`. */
      configured: z.boolean(),
      /** An operator wrote `/here` in it. */
      joined: z.boolean(),
      /** Who may speak to margay there, beside those who may anywhere. */
      allow: z.array(z.string()),
      /** When something last came from there, to the hour. */
      lastAt: z.number().optional(),
      /** The agent that answers there whoever asks; absent: the home itself. */
      agent: z.string().optional(),
    }),
  ),
});

export const ChannelSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  config: z.strictObject({
    token: MaskSchema.optional(),
    secret: MaskSchema.optional(),
    baseUrl: z.string().optional(),
    /** Texts are masks; numbers and switches are as they are. */
    options: z.record(z.string(), z.json()).optional(),
    /** The usual manner in groups, and the groups by chat id. */
    groups: GroupMode.optional(),
    chats: z
      .record(
        z.string(),
        z.strictObject({
          groups: GroupMode.optional(),
          allowFrom: z.array(z.string()).optional(),
          session: SessionManner.optional(),
          approvals: Approvals.optional(),
        }),
      )
      .optional(),
    session: SessionManner.optional(),
    names: z.array(z.string()).optional(),
    follow: z.boolean().optional(),
    live: z.enum(["private", "on", "off"]).optional(),
    typing: z.enum(["on", "off"]).optional(),
    ack: z.string().nullable().optional(),
    uncertain: z.enum(["again", "ask"]).optional(),
    quote: z.enum(["auto", "off"]).optional(),
    reactions: z.enum(["count", "tell"]).optional(),
    approvals: Approvals.optional(),
    burstMs: z.number().optional(),
    backfillHours: z.number().optional(),
    media: z.strictObject({ maxBytes: z.number() }).optional(),
    bots: z.enum(["heard", "named"]).optional(),
  }),
  hash: z.string(),
  state: z.enum(["off", "starting", "up", "degraded", "retrying", "failed", "paused"]),
  since: z.number().optional(),
  error: z.string().optional(),
  lastIn: z.number().optional(),
  lastOut: z.number().optional(),
  /** Who we are on the platform. */
  account: z.string().optional(),
  /** Where its platform calls, in full: to be entered there. */
  calledAt: z.array(z.string()).optional(),
  /** When its platform gave the last sign of life. */
  lastFrame: z.number().optional(),
  /** How often it began to receive anew in the last 24 hours. */
  reconnects: z.number().int().optional(),
  /** Until then the platform wants nothing of us. */
  limitedUntil: z.number().optional(),
  /** Reactions to what margay said, since the channel was switched on. */
  reactions: z.number().int().optional(),
  /** When the platform was last read further. */
  cursorAt: z.number().optional(),
  /** Frames of the platform that nobody could read, kept aside. */
  deadLetters: z.number().optional(),
  /** `key`, `lookup`: each reply is shown once. `no`: one that was cut off may be shown twice, or waits for a person (`uncertain`). */
  once: z.enum(["key", "lookup", "no"]).optional(),
  /** How long its platform knows a key; after that, `key` is `no`. Absent: for good. */
  onceMs: z.number().int().optional(),
  /** What is said while nobody listens comes later in part, or not at all. Absent: all of it. */
  history: z.enum(["part", "none"]).optional(),
  outbox: z.strictObject({
    pending: z.number(),
    oldestAt: z.number().optional(),
    held: z.number(),
    uncertain: z.number(),
    failed: z.number(),
  }),
  /** Exact ids that may write; `*` is everybody. */
  allow: z.array(z.string()),
  /** Exact ids of the owner's own accounts. */
  operators: z.array(z.string()),
  paired: z.number(),
  /** Identities that may write: the owner's, those of persons, of the list, and paired ones. */
  known: z.number().int(),
  /** What is allowed and hardly meant: nobody may write yet, everybody may. */
  warnings: z.array(z.string()),
  /** What is configured holds at the next start only. */
  restart: z.boolean(),
});
export const ChannelsSchema = z.array(ChannelSchema);

const Options = z.record(
  z.string().max(100),
  z.union([z.string().max(8192), z.number(), z.boolean(), z.null(), SecretInput]),
);
export const ChannelBody = z.strictObject({
  /** The platform, where the channel has another name. */
  kind: z.string().min(1).max(40).optional(),
  enabled: z.boolean().optional(),
  allow: z.array(z.string().min(1).max(200)).max(1000).optional(),
  /** Who is added here may do all that the owner may: it asks for the owner's proof. */
  operators: z.array(z.string().min(1).max(200)).max(100).optional(),
  token: SecretInput.nullish(),
  secret: SecretInput.nullish(),
  baseUrl: z.string().max(2048).nullish(),
  options: Options.optional(),
});

/** What an account of a platform may be called; names of our own entrances are refused with the settings. */
export const ChannelName = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9_-]*$/);

export const ChannelTestBody = z.strictObject({
  /** A chat that gets one message. */
  to: z.string().min(1).max(200).optional(),
  /** Tried in place of what is saved. */
  draft: ChannelBody.optional(),
});

/** Beside it everything that is saved holds. */
export const ChannelLoginBody = ChannelBody.pick({ kind: true, baseUrl: true, options: true });

/** What a person is shown who logs a channel in; what was shown before is over. Never a setting: those are kept here. */
export type LoginEvent =
  /** `size` and `path`: its dark modules, as the path of an SVG with that many units on each side. */
  | { type: "qr"; data: string; expiresAt: number; size: number; path: string }
  | { type: "code"; code: string; url?: string; expiresAt: number }
  | { type: "scanned" }
  | { type: "done"; account: string }
  | { type: "failed"; text: string };

const PairingSchema = z.strictObject({
  code: z.string(),
  channel: z.string(),
  sender: z.string(),
  name: z.string().optional(),
  /** With what cannot be seen written out. */
  firstText: z.string().optional(),
  at: z.number(),
  expiresAt: z.number(),
});
export const PairingsSchema = z.array(PairingSchema);
const RoleSchema = z.enum(["paired", "operator"]);
export const ApprovePairingBody = z.strictObject({
  role: RoleSchema.default("paired"),
  /** In place of a role: who it is, `owner` or a name of `people`. */
  person: z.string().min(1).max(32).optional(),
});

export const ContactSchema = z.strictObject({
  id: z.string(),
  channel: z.string(),
  sender: z.string(),
  name: z.string().optional(),
  /** `listed`: by `allowFrom` of the configuration; `owner`: by `operators` there; `member`, and with `person` `operator`: by `people`. */
  role: z.enum(["paired", "operator", "listed", "owner", "member"]),
  /** Who it is, beside the owner. */
  person: z.string().optional(),
  pairedAt: z.number().optional(),
  lastAt: z.number().optional(),
});
export const ContactsSchema = z.array(ContactSchema);
export const ContactBody = z.strictObject({
  role: RoleSchema.optional(),
  name: z.string().min(1).max(100).optional(),
});

/**
 * `held`: it leaves when its chat writes again. `uncertain`: it may be there already, and leaves when a person says so.
 * `failed`: given up on.
 */
const OutboxState = z.enum(["pending", "held", "uncertain", "failed"]);
export const OutboxQuery = z.strictObject({
  state: OutboxState.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});
export const OutboxEntrySchema = z.strictObject({
  reply: z.string(),
  session: z.string(),
  to: AddressSchema,
  state: OutboxState,
  at: z.number(),
  attempts: z.number(),
  nextAt: z.number().optional(),
  error: z.string().optional(),
  text: z.string(),
});
export const OutboxSchema = page(OutboxEntrySchema);

export type ChannelView = z.infer<typeof ChannelSchema>;
export type Contact = z.infer<typeof ContactSchema>;
export type OutboxEntry = z.infer<typeof OutboxEntrySchema>;
