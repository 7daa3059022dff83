/** Wire shapes of the system routes. */
import { z } from "zod";

export const SystemSchema = z.strictObject({
  version: z.string(),
  build: z.string(),
  node: z.string(),
  platform: z.string(),
  uptimeMs: z.number(),
  /** Another one after each restart, also of a gateway that began anew in its process. */
  life: z.string(),
  profile: z.string(),
  language: z.enum(["en", "zh-CN"]),
  timeZone: z.string(),
  workspace: z.string(),
  practice: z.boolean(),
  /** It still reads what an earlier process left; the topic `system` says when that is over. */
  starting: z.literal(true).optional(),
  /** Of the state directory, without the workspace. */
  stateBytes: z.number(),
  rss: z.number(),
  /** p99 since the last look. */
  eventLoopDelayMs: z.number(),
  exposure: z.strictObject({
    bind: z.string(),
    tls: z.boolean(),
    public: z.boolean(),
    /** Others reach it without encryption: who listens on the way reads the password. */
    plain: z.boolean(),
  }),
  sandbox: z.strictObject({
    kind: z.string(),
    ok: z.boolean(),
    /** Commands are offered to the agent. */
    commands: z.boolean(),
    reason: z.string().optional(),
    /** What repairs it, for a terminal. */
    command: z.string().optional(),
  }),
  /** Since when schedules wait for a person, because margay crashed three times within five minutes. */
  scheduleHeldSince: z.number().optional(),
  /** Events that nobody has seen: `GET /notifications` lists them. */
  notifications: z.number().int(),
  storage: z.strictObject({
    ok: z.boolean(),
    /** Why conversations can't be written just now. */
    reason: z.string().optional(),
  }),
  supervised: z.boolean(),
  /** Recordings are written down: `agent.transcriptionModel` is set to a model that can. */
  transcription: z.boolean(),
  pendingRestart: z.array(z.string()),
});

const CheckSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  /** The exact command that repairs it. */
  command: z.string().optional(),
});
export const DoctorSchema = z.array(CheckSchema);
export const DoctorQuery = z.strictObject({ live: z.enum(["", "true", "false"]).optional() });

const LogLineSchema = z.strictObject({
  /** Position in the log: `after` continues behind it. */
  at: z.number(),
  time: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  event: z.string(),
  data: z.record(z.string(), z.json()),
});
export const LogsQuery = z.strictObject({
  level: z.enum(["debug", "info", "warn", "error"]).optional(),
  /** Lines behind this position; absent: the last ones. */
  after: z.coerce.number().int().nonnegative().optional(),
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export const LogsSchema = z.strictObject({ items: z.array(LogLineSchema), next: z.number() });

export const RestartBody = z.strictObject({ when: z.enum(["idle", "now"]) });
export const ReleasedSchema = z.strictObject({ released: z.boolean() });
export const AcceptedSchema = z.strictObject({ accepted: z.literal(true) });

export type SystemView = z.infer<typeof SystemSchema>;
export type Check = z.infer<typeof CheckSchema>;
export type LogLine = z.infer<typeof LogLineSchema>;
