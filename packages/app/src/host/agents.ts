/** Agents beside the home itself, and which of them a conversation works with: as the configuration says it at the moment. */
import {
  type Audience,
  type Binding,
  bindingOf,
  type Bindings,
  type Bound,
  type BoundAgent,
  coversReader,
  agentsIn,
  isGroup,
  MAIN,
  sha256,
} from "@margay/core/internal";
import type { ModelRef, SessionState } from "@margay/core";
import { modelRef } from "../config/agent-settings.ts";
import type { Config } from "../config/config.ts";

type Agents = Pick<Config, "agents" | "bindings" | "people">;
type AgentConfig = Config["agents"][string];

/** Whom an agent is for, where nothing is said. */
const OWNERS: readonly string[] = ["owner"];

export function bindingsOf(config: Agents): Bindings {
  return { bindings: allBindings(config), isFor: (agent, audience) => isFor(agent, audience, config) };
}

/** Those of the list, then `people.NAME.agent`, each with its place in the configuration. */
export function allBindings({ bindings, people }: Pick<Config, "bindings" | "people">): readonly Binding[] {
  return [
    ...bindings.map((one, index) => ({ ...one, at: `bindings[${index}]` })),
    ...Object.entries(people).flatMap(([person, { agent }]) =>
      agent === undefined ? [] : [{ person, agent, at: `people.${person}.agent` }],
    ),
  ];
}

/** Whether all of them are there, and for these readers. */
export function isFor(
  agent: string,
  audience: Audience,
  { agents, people }: Pick<Config, "agents" | "people">,
): boolean {
  return agentsIn(agent).every(
    (name) =>
      Object.hasOwn(agents, name) &&
      coversReader(agents[name]?.for ?? OWNERS, audience, (person) => Object.hasOwn(people, person)),
  );
}

/** Whether an MCP server is for these readers. */
export function isServerFor(
  server: string,
  audience: Audience,
  { mcpServers, people }: Pick<Config, "mcpServers" | "people">,
): boolean {
  const readers = Object.hasOwn(mcpServers, server) ? mcpServers[server]?.for : undefined;
  return coversReader(readers ?? OWNERS, audience, (person) => Object.hasOwn(people, person));
}

/** Whether what a job or a webhook says can work there. Where it says nothing, the bindings do. */
export function mayWork(
  agent: string | undefined,
  audience: Audience,
  config: Pick<Config, "agents" | "people">,
): boolean {
  return agent === undefined || agent === MAIN || isFor(agent, audience, config);
}

/** Those that may be chosen where `audience` reads; undefined: there are none at all. */
export function agentNames(config: Agents, audience: Audience | undefined): readonly string[] | undefined {
  const names = Object.keys(config.agents);
  return names.length === 0 ? undefined : names.filter((name) => isFor(name, audience ?? "owner", config));
}

type Asks = Pick<SessionState, "origin" | "audience" | "parent" | "agent" | "bound" | "pending">;

/** What the next turn works with. Undefined: the home itself, and it never was anything else. */
export function agentOf(state: Asks, config: Agents): BoundAgent | undefined {
  const { agent: chosen, bound } = state;
  const isPlain = chosen === undefined && bound === undefined;
  if (isPlain && Object.keys(config.agents).length === 0) return undefined;
  const found = state.parent === undefined ? bindingOf(caseOf(state), bindingsOf(config)) : ofChild(chosen);
  if (found.agent === MAIN && bound === undefined) return undefined;
  return { ...found, hash: hashOf(found.agent, config) };
}

function caseOf({ origin, audience = "owner", agent, pending }: Asks): Parameters<typeof bindingOf>[0] {
  // In a group it is the agent of who asks, as far as it is for the group.
  const person = isGroup(audience) ? pending[0]?.speaker : audience;
  return {
    ...{ origin, audience },
    ...(person !== undefined && person !== "guest" && { person }),
    ...(agent !== undefined && { chosen: agent }),
  };
}

/** What was chosen when it was started: no binding gives a subagent more. */
function ofChild(chosen: string | undefined): Bound {
  return chosen === undefined ? { agent: MAIN, rule: MAIN } : { agent: chosen, rule: "spawn" };
}

/** What an agent has of its own; what is absent is the home's. */
export interface AgentParts {
  readonly name: string;
  readonly hash: string;
  readonly persona?: string;
  readonly model?: ModelRef;
  /** A name has to fit a pattern of each of these lists. */
  readonly tools: readonly (readonly string[])[];
  readonly skills: readonly (readonly string[])[];
  /** Where its files are: with the home's, in a folder of its own, or nowhere. */
  readonly files:
    | { readonly in: "home" }
    | { readonly in: "own"; readonly name: string; readonly isShared: boolean }
    | { readonly in: "none" };
}

/** One that is not there has nothing: what it was kept from, nobody gets by removing it. */
export function partsOf(agent: string, { agents }: Pick<Config, "agents">): AgentParts {
  const found = agentsIn(agent).map((name) => [name, Object.hasOwn(agents, name) ? agents[name] : undefined] as const);
  const [, last] = found.at(-1) ?? [];
  return {
    name: agent,
    hash: hashOf(agent, { agents }),
    ...(last?.persona !== undefined && { persona: last.persona }),
    ...(last?.model !== undefined && { model: modelRef(last.model) }),
    tools: found.flatMap(([, one]) => (one === undefined ? [[]] : one.tools === undefined ? [] : [one.tools])),
    skills: found.flatMap(([, one]) => (one?.skills === undefined ? [] : [one.skills])),
    files: filesOf(found),
  };
}

function filesOf(found: readonly (readonly [string, AgentConfig | undefined])[]): AgentParts["files"] {
  const places = new Set(found.map(([name, one]) => (one?.workspace === "own" ? name : "")));
  const [name = ""] = places;
  // A subagent and who started it have no folder in common.
  if (places.size > 1) return { in: "none" };
  const readers = found[0]?.[1]?.for ?? OWNERS;
  const isShared = readers.length > 1 || readers.some((one) => MANY.has(one));
  return name === "" ? { in: "home" } : { in: "own", name, isShared };
}

/** Words that stand for more than one reader. */
const MANY: ReadonlySet<string> = new Set(["household", "group", "guest", "public"]);

/** Of all that a turn works with: another one is another prompt. */
function hashOf(agent: string, { agents }: Pick<Config, "agents">): string {
  if (agent === MAIN) return MAIN;
  const parts = agentsIn(agent).map((name) => {
    const { persona, model, tools, skills, workspace } = (Object.hasOwn(agents, name) ? agents[name] : undefined) ?? {};
    return [name, persona ?? null, model ?? null, tools ?? null, skills ?? null, workspace ?? null];
  });
  return sha256(JSON.stringify(parts)).slice(0, 16);
}
