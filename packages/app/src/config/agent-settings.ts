/** Configuration → the settings of the agent. */
import type { AgentSettings, Budget, ModelRef } from "@margay/core";
import type { Config } from "./config.ts";
import { timeZoneOf } from "./load.ts";
import { KEYS, type Row } from "./keys.ts";

export interface SettingsInput {
  readonly config: Config;
  readonly timeZone: string;
  /** Of the model in use, in tokens. */
  readonly contextWindow: number;
}

export function agentSettings({ config, timeZone, contextWindow }: SettingsInput): AgentSettings {
  const { model } = config.memory;
  return {
    ...ofKeys(config),
    budgets: [...config.budgets, ...ofPeople({ config, timeZone }), ...ofAgents(config)],
    timeZone,
    contextWindow,
    memoryModel: model === null ? null : modelRef(model),
  };
}

/** What a member may spend a day, where nothing is said. */
const MEMBER_TOKENS = 500_000;

/** What is spent for one person beside the owner, a day. Who has no bound is not among them. */
export function ofPeople(home: Parameters<typeof timeZoneOf>[0]): readonly PersonBudget[] {
  return Object.entries(home.config.people).flatMap(([person, { role, tokensPerDay }]): readonly PersonBudget[] => {
    const tokens = tokensPerDay ?? (role === "member" ? MEMBER_TOKENS : undefined);
    return person === "owner" || tokens === undefined
      ? []
      : [{ scope: "person", person, tokens, timeZone: timeZoneOf(home, person) }];
  });
}

/** What all conversations of one agent may spend a day. */
export function ofAgents({ agents }: Pick<Config, "agents">): readonly Budget[] {
  return Object.entries(agents).flatMap(([agent, { budget }]) =>
    budget?.tokensPerDay === undefined ? [] : [{ scope: "agent", agent, tokens: budget.tokensPerDay } as const],
  );
}

type PersonBudget = Budget & {
  readonly scope: "person";
  readonly person: string;
  readonly tokens: number;
  readonly timeZone: string;
};

type Named = Extract<Row, { readonly agentName: string }>;
type OfKeys = { readonly [K in Named as K["agentName"]]: At<Config, K["path"]> };
type At<Value, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? At<Value[Name & keyof Value], Rest>
  : Value[Path & keyof Value];

/** Settings that are the value of one key, at most in another unit. */
function ofKeys(config: Config): OfKeys {
  const entries = KEYS.flatMap(({ path, agentName, agentFactor }) => {
    if (agentName === undefined) return [];
    const value = path
      .split(".")
      .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], config); // the table's own path
    return [[agentName, typeof value === "number" ? value * (agentFactor ?? 1) : value]];
  });
  return Object.fromEntries(entries) as OfKeys; // the rows that the type is made of
}

/** `provider/model`; the model may hold further slashes. */
export function modelRef(ref: string): ModelRef {
  const slash = ref.indexOf("/");
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}
