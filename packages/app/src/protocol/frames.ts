/** Frames of `/ws`: what clients send, checked; what they get, described. */
import { z } from "zod";
import { Millis, PersonLoginSchema, ProblemSchema } from "./common.ts";
import { ItemSchema, PartialSchema, Seq, TurnViewSchema } from "./items.ts";
import { MessageKey, SendBody } from "./messages.ts";
import { SessionDetailSchema } from "./sessions.ts";

const CommandId = z.string().min(1).max(64);
const Session = z.string().min(1).max(64);
/** Small notes about what changed outside of conversations. */
export const TOPICS = ["sessions", "approvals", "tasks", "channels", "mcp", "cron", "usage", "system"] as const;
const TopicName = z.enum(TOPICS);

export const CLIENT_FRAMES = {
  subscribe: z.union([
    z.strictObject({
      id: CommandId,
      type: z.literal("subscribe"),
      session: Session,
      after: Seq.optional(),
      live: z.boolean().optional(),
    }),
    z.strictObject({ id: CommandId, type: z.literal("subscribe"), topic: TopicName }),
  ]),
  unsubscribe: z.union([
    z.strictObject({ id: CommandId, type: z.literal("unsubscribe"), session: Session }),
    z.strictObject({ id: CommandId, type: z.literal("unsubscribe"), topic: TopicName }),
  ]),
  "live.set": z.strictObject({
    id: CommandId,
    type: z.literal("live.set"),
    session: Session,
    live: z.boolean(),
  }),
  /** Whether somebody looks at the page: what waits is not pushed to their devices then. Nobody does before the first. */
  "page.set": z.strictObject({ id: CommandId, type: z.literal("page.set"), visible: z.boolean() }),
  "message.send": z.strictObject({
    id: CommandId,
    type: z.literal("message.send"),
    /** `new`, `temporary`: a session is made for it. */
    session: Session,
    key: MessageKey,
    ...SendBody.shape,
  }),
  "message.withdraw": z.strictObject({
    id: CommandId,
    type: z.literal("message.withdraw"),
    session: Session,
    messageId: z.string().min(1).max(64),
  }),
  "turn.stop": z.strictObject({
    id: CommandId,
    type: z.literal("turn.stop"),
    session: Session,
    subagents: z.literal(true).optional(),
    discardWaiting: z.boolean().optional(),
  }),
  "approval.resolve": z.strictObject({
    id: CommandId,
    type: z.literal("approval.resolve"),
    session: Session,
    call: z.string().min(1).max(64),
    verdict: z.enum(["allow", "deny"]),
    hash: z.string().min(1).max(200),
    remember: z.enum(["once", "session", "always"]).optional(),
    reason: z.string().max(1000).optional(),
  }),
  ping: z.strictObject({ id: CommandId, type: z.literal("ping"), t: z.number().optional() }),
} as const;
export type ClientFrameType = keyof typeof CLIENT_FRAMES;
export type ClientFrame<Type extends ClientFrameType> = z.infer<(typeof CLIENT_FRAMES)[Type]>;

const LiveEventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text.delta"), turn: z.string(), index: z.number(), text: z.string() }),
  z.strictObject({ type: z.literal("thinking.delta"), turn: z.string(), index: z.number(), text: z.string() }),
  z.strictObject({
    type: z.literal("tool-call.delta"),
    turn: z.string(),
    call: z.string(),
    name: z.string(),
    text: z.string(),
  }),
  z.strictObject({ type: z.literal("tool.progress"), turn: z.string(), call: z.string(), text: z.string() }),
  /** A person waits, and has heard nothing for so long. */
  z.strictObject({ type: z.literal("model.waiting"), turn: z.string(), waitedMs: Millis }),
  /** What was shown of this response is void: it begins again. */
  z.strictObject({ type: z.literal("text.restarted"), turn: z.string() }),
]);

export const SERVER_FRAMES = {
  welcome: z.strictObject({
    type: z.literal("welcome"),
    protocol: z.literal("margay.v1"),
    connection: z.string(),
    now: Millis,
    scope: z.array(z.string()),
    /** Absent: the owner, or a token. */
    person: PersonLoginSchema.optional(),
    limits: z.strictObject({ frameBytes: z.number(), subscriptions: z.number(), commandsPerSecond: z.number() }),
    build: z.string(),
  }),
  reply: z.strictObject({ type: z.literal("reply"), id: CommandId, result: z.json() }),
  error: z.strictObject({ type: z.literal("error"), id: CommandId.nullable(), error: ProblemSchema }),
  pong: z.strictObject({ type: z.literal("pong"), id: CommandId, t: z.number().optional(), now: Millis }),
  snapshot: z.strictObject({
    type: z.literal("snapshot"),
    session: Session,
    seq: Seq,
    items: z.array(ItemSchema),
    turn: TurnViewSchema.optional(),
    detail: SessionDetailSchema,
    more: z.boolean(),
  }),
  commit: z.strictObject({
    type: z.literal("commit"),
    session: Session,
    seq: Seq,
    at: Millis,
    /** Journal records, long ones cut; each has its own `type`. */
    records: z.array(z.looseObject({ type: z.string() })),
  }),
  partial: z.strictObject({ type: z.literal("partial"), session: Session, ...PartialSchema.shape }),
  live: z.strictObject({
    type: z.literal("live"),
    session: Session,
    turn: z.string(),
    events: z.array(LiveEventSchema),
  }),
  topic: z.strictObject({ type: z.literal("topic"), topic: TopicName, data: z.json() }),
  goodbye: z.strictObject({ type: z.literal("goodbye"), reason: z.string(), retryAfterMs: z.number().nullable() }),
} as const;
