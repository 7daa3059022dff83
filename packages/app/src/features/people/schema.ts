/** Persons beside the owner, and agents, as the API tells them. */
import { z } from "zod";
import { Millis } from "../../protocol/common.ts";

export const ExplainQuery = z.strictObject({
  channel: z.string().min(1).max(80),
  sender: z.string().min(1).max(200),
  /** In the group with this id. */
  group: z.string().min(1).max(300).optional(),
  /** As if they named margay there. */
  addressed: z.enum(["true", "false"]).optional(),
});

export const ExplanationSchema = z.strictObject({
  role: z.enum(["operator", "member", "guest", "stranger"]),
  /** Beside guests and strangers: who it is. */
  person: z.string().optional(),
  /** What becomes of their words in the group. */
  gate: z.enum(["answer", "hear", "drop", "late"]).optional(),
  /** What answers them. Absent: there are no agents, or they are a stranger. */
  agent: z.string().optional(),
  /** The same in sentences, in the language of who asks. */
  texts: z.array(z.string()),
});

export const PersonSchema = z.strictObject({
  /** The short name. */
  person: z.string(),
  name: z.string().optional(),
  role: z.enum(["member", "operator"]),
  /** `channel:id`. */
  ids: z.array(z.string()),
  tokensPerDay: z.number().int().optional(),
  /** IANA name. Absent: the home's. */
  timeZone: z.string().optional(),
  /** `21-08`: questions to them make no sound then. */
  quietHours: z.string().optional(),
  /** The owner reads their conversations, from when they were told. */
  supervised: z.boolean(),
  hash: z.string(),
});
export const PeopleSchema = z.array(PersonSchema);

/** The code is told here, and nowhere again. */
export const InvitationSchema = z.strictObject({
  code: z.string(),
  expiresAt: Millis,
  /** Each opens a chat that begins with the code; its QR code as the path of an SVG, `size` units on each side. */
  links: z.array(z.strictObject({ channel: z.string(), url: z.string(), size: z.number().int(), path: z.string() })),
});

export const InvitedWith = z.strictObject({ code: z.string().max(64) });

export const SharesSchema = z.array(
  z.strictObject({
    id: z.string(),
    /** Where it stands, and its words. */
    shown: z.string(),
    /** As they are called. */
    reader: z.string(),
    at: z.number(),
  }),
);

/** What a person is called in settings and journals. Words that stand for others are refused with the settings. */
export const PersonName = z
  .string()
  .max(32)
  .regex(/^[a-z][a-z0-9-]*$/);

export const PersonBody = z.strictObject({
  /** What margay calls them. */
  name: z.string().max(100).meta({ format: "line" }).nullish(),
  role: z.enum(["member", "operator"]),
  /** `channel:id`. */
  ids: z.array(z.string().max(300)).max(100).meta({ format: "lines" }),
  tokensPerDay: z.number().int().min(1).max(1_000_000_000).nullish(),
  timeZone: z.string().max(64).meta({ format: "line" }).nullish(),
  quietHours: z.string().max(10).meta({ format: "line" }).nullish(),
  supervised: z.boolean().optional(),
});

/** What an agent is called. `main` and `none` are refused with the settings. */
export const AgentName = z
  .string()
  .max(32)
  .regex(/^[a-z][a-z0-9-]*$/);

/** What an agent has of its own; what is absent is the home's. */
export const AgentBody = z.strictObject({
  persona: z.string().max(80).optional(),
  model: z.string().max(200).optional(),
  /** Patterns: `*` stands for any letters. */
  tools: z.array(z.string().max(80)).max(200).meta({ format: "lines" }).optional(),
  skills: z.array(z.string().max(80)).max(200).meta({ format: "lines" }).optional(),
  tokensPerDay: z.number().int().min(1).max(1_000_000_000).optional(),
  /** Files in a folder of its own. */
  own: z.boolean().optional(),
  /** Whose conversations may work with it. Absent: the owner's. */
  for: z.array(z.string().max(80)).max(200).meta({ format: "lines" }).optional(),
});

export const BindingBody = z.strictObject({
  channel: z.string().max(80).optional(),
  chat: z.string().max(300).optional(),
  thread: z.string().max(300).optional(),
  person: z.string().max(32).optional(),
  agent: z.string().max(32),
});

export const AgentsSchema = z.strictObject({
  /** Of the settings: they are changed with `PATCH /settings`. */
  hash: z.string(),
  agents: z.array(AgentBody.extend({ name: z.string() })),
  /** In the order of the settings. */
  bindings: z.array(BindingBody),
  /** `people.NAME.agent`: bindings that stand with their person. */
  people: z.array(z.strictObject({ person: z.string(), agent: z.string() })),
  /** Groups that there are to choose from. */
  groups: z.array(z.strictObject({ channel: z.string(), chat: z.string(), title: z.string().optional() })),
});
