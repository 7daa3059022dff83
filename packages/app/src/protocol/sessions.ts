/** Sessions on the wire: lines of the list, everything about one, and what can be done to it. */
import { z } from "zod";
import { CostUsd, Id, integerOf, Millis, ModelRefSchema, page, PageQuery, UsageSchema } from "./common.ts";
import { SOURCES } from "@margay/core/internal";
import { CallSchema, ItemSchema, PartialSchema, PendingSchema, Seq, TurnViewSchema } from "./items.ts";
import { SendBody, SentSchema } from "./messages.ts";

const Source = z.enum(SOURCES);
const State = z.enum(["idle", "running", "waiting", "failed"]);
const Flag = z.enum(["true", "false"]).transform((value) => value === "true");
export const TitleName = z.string().trim().min(1).max(200);
/** One line: it is a name in a list. */
export const FolderName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^\P{Cc}*$/u);

/** Instead of the configured ones, from the next turn on. */
const Limits = z.strictObject({
  maxIterations: integerOf("agent.maxIterations").optional(),
  maxToolCalls: integerOf("agent.maxToolCalls").optional(),
  maxTokens: integerOf("agent.maxTokens").optional(),
});

export const SessionSummarySchema = z.strictObject({
  id: Id,
  key: z.string(),
  title: z.string(),
  channel: z.string(),
  chat: z.string(),
  peer: z.string().optional(),
  /** Who reads it, when it is not the owner alone: `guest`, or the short name of a person. */
  audience: z.string().optional(),
  /** What is said in it is another person's: its title is its key, and it has no preview. */
  private: z.literal(true).optional(),
  source: Source,
  createdAt: Millis,
  updatedAt: Millis,
  lastSeq: Seq,
  messages: z.number().int(),
  state: State,
  approvals: z.number().int(),
  /** Where it was put; absent: in none. */
  folder: z.string().optional(),
  pinned: z.boolean(),
  archived: z.boolean(),
  trashedAt: Millis.optional(),
  forkedFrom: z.strictObject({ session: Id, seq: Seq }).optional(),
  parent: z.strictObject({ session: Id, call: z.string() }).optional(),
  model: ModelRefSchema,
  persona: z.string().optional(),
  /** What it works with, when it is not the home itself, or was not; and by which rule. */
  agent: z.strictObject({ name: z.string(), rule: z.string() }).optional(),
  preview: z.string(),
  usage: UsageSchema,
  costUsd: CostUsd,
});

export const SessionDetailSchema = z.strictObject({
  ...SessionSummarySchema.shape,
  hash: z.string(),
  overrides: z.strictObject({
    model: ModelRefSchema.optional(),
    persona: z.string().optional(),
    limits: Limits.optional(),
  }),
  /** Absent before the first request. */
  epoch: z.strictObject({ hash: z.string(), openedAt: Millis, because: z.string() }).optional(),
  turn: z
    .strictObject({
      ...TurnViewSchema.shape,
      /** Of the last response: what is decided, running or waited for. */
      open: z.array(CallSchema),
      partial: PartialSchema.optional(),
    })
    .optional(),
  pending: z.array(PendingSchema),
  branches: z.array(z.strictObject({ session: Id, title: z.string(), seq: Seq, updatedAt: Millis })),
  context: z.strictObject({ tokens: z.number(), window: z.number(), cachedTokens: z.number() }),
});

export const SessionsQuery = z.strictObject({
  ...PageQuery.shape,
  q: z.string().max(200).optional(),
  source: Source.optional(),
  channel: z.string().max(64).optional(),
  state: State.optional(),
  folder: FolderName.optional(),
  pinned: Flag.optional(),
  archived: Flag.optional(),
  trashed: Flag.optional(),
  /** True: without those of subagents. */
  top: Flag.optional(),
  /** True: only what is to be seen however old it is: pinned, running, waiting for a person. */
  standing: Flag.optional(),
  sort: z.enum(["updated", "created"]).default("updated"),
});
export const SessionPage = page(SessionSummarySchema);
export const FoldersSchema = z.strictObject({
  /** By name. */
  folders: z.array(z.strictObject({ name: z.string(), sessions: z.number().int() })),
});

export const CreateBody = z.strictObject({
  title: TitleName.optional(),
  persona: z.string().max(64).optional(),
  model: z.string().max(200).optional(),
  /** Of chat tokens: the session is `api:<token id>:<name>`. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional(),
  /** Not in memory, search or backup; deleting it ends it for good, at the latest a day after its last word. */
  temporary: z.boolean().optional(),
  message: SendBody.optional(),
});
export const CreatedSchema = z.strictObject({ ...SessionDetailSchema.shape, sent: SentSchema.optional() });

export const PatchBody = z.strictObject({
  title: TitleName.nullable().optional(),
  /** `null`: in none. */
  folder: FolderName.nullable().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  /** `provider/model`, or a name from the list; `null`: as configured. */
  model: z.string().max(200).nullable().optional(),
  persona: z.string().max(64).nullable().optional(),
  /** `limits` replaces all limits of the session; `null`: as configured. */
  overrides: z.strictObject({ limits: Limits.nullable().optional() }).optional(),
});

export const ImportQuery = z.strictObject({
  /** A file of the seeds is read as a transcript too; `margay`: a journal export. */
  format: z.enum(["seed", "nanobot", "margay"]).default("seed"),
  title: TitleName.optional(),
});
export const ImportedSchema = z.strictObject({
  sessions: z.array(Id),
  messages: z.number().int(),
  warnings: z.array(z.string()),
});
export const KeyQuery = z.strictObject({ key: z.string().min(1).max(500) });
export const DeleteQuery = z.strictObject({ purge: Flag.optional() });
export const ForkBody = z.strictObject({ at: Seq.optional(), title: TitleName.optional() });
/** Subagents always end with the turn that they work for. */
export const StopBody = z.strictObject({
  subagents: z.literal(true).optional(),
  discardWaiting: z.boolean().optional(),
});
export const StoppedSchema = z.strictObject({
  /** `null`: nothing was running. */
  turn: z.string().nullable(),
  subagents: z.number().int(),
  processes: z.number().int(),
  discarded: z.array(PendingSchema),
});
export const RegenerateBody = z.strictObject({
  turn: z.string().max(64),
  model: z.string().max(200).optional(),
  confirmWrites: z.boolean().optional(),
});
export const RegeneratedSchema = z.strictObject({ session: Id, messageId: z.string() });
export const ExportQuery = z.strictObject({
  /** Of Markdown and items, with commas between: `tools,thinking,prefix`. Journal and transcript are always whole. */
  include: z
    .string()
    .regex(/^(?:(?:tools|thinking|prefix)(?:,(?!$)|$))*$/)
    .default("tools"),
  format: z.enum(["margay", "seed", "markdown", "json"]).default("markdown"),
});
export const CommandAnswer = z.strictObject({ text: z.string() });

export const MessagesQuery = z.strictObject({
  before: z.string().max(40).optional(),
  /** `0.0`: from the first item on. */
  after: z.string().max(40).optional(),
  around: z.string().max(40).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const EventsQuery = z.strictObject({ after: z.coerce.number().int().nonnegative().optional() });
/** `prev`: for `before`; `next`: for `after`; `null` where there is no more. */
export const ItemPage = z.strictObject({
  items: z.array(ItemSchema),
  next: z.string().nullable(),
  prev: z.string().nullable(),
});

export const TurnSchema = z.strictObject({
  id: z.string(),
  source: z.string(),
  reason: z.string(),
  steps: z.number().int(),
  calls: z.number().int(),
  usage: UsageSchema,
  costUsd: CostUsd,
  ms: z.number(),
  startedAt: Millis,
});
export const TurnPage = page(TurnSchema);

export const ContextSchema = z.strictObject({
  tokens: z.number(),
  window: z.number(),
  cachedTokens: z.number(),
  /** Estimated from the length of the texts that are in the context now. */
  sections: z.array(
    z.strictObject({
      id: z.enum(["system", "tools", "memory", "skills", "messages", "results"]),
      tokens: z.number(),
    }),
  ),
});
export const PrefixSchema = z.strictObject({
  hash: z.string(),
  system: z.string(),
  tools: z.array(z.strictObject({ name: z.string(), tokens: z.number(), schema: z.json() })),
  because: z.string(),
});
