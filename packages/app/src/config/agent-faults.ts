/** What is wrong with agents and bindings as a whole: each fault names both places. */
import {
  addressIn,
  type Audience,
  type Binding,
  coversReader,
  formOf,
  groupOf,
  isRecord,
  MAIN,
  nearest,
  type PersonId,
} from "@margay/core/internal";
import type { Fault } from "./key.ts";

/** Parts of a configuration, of any shape: what has another is a fault of its own. */
export interface House {
  readonly agents?: unknown;
  readonly bindings?: unknown;
  readonly people?: unknown;
  readonly channels?: unknown;
  readonly hooks?: unknown;
}

interface Known {
  readonly agents: ReadonlyMap<string, unknown>;
  readonly people: ReadonlyMap<string, unknown>;
  readonly channels: ReadonlyMap<string, unknown>;
}

const OWNER: PersonId = "owner";
/** The home itself, and what takes a choice back: `/agent none`. */
const TAKEN: ReadonlySet<string> = new Set([MAIN, "none"]);
const PLACES = ["channel", "chat", "thread", "person"] as const;

export function agentFaults({ agents, bindings, people, channels, hooks }: House): readonly Fault[] {
  const known: Known = { agents: thereIn(agents), people: mapOf(people), channels: mapOf(channels) };
  const all = [
    ...(Array.isArray(bindings) ? bindings.map((one: unknown, index) => bindingIn(one, `bindings[${index}]`)) : []),
    ...[...known.people].map(([person, value]) => bindingIn(value, `people.${person}.agent`, person)),
  ].filter((one) => one !== undefined);
  const names = [...mapOf(agents).keys()].filter((name) => !/^[a-z][a-z0-9-]{0,31}$/.test(name) || TAKEN.has(name));
  return [
    ...names.map((name): Fault => ({ path: `agents.${name}`, problem: "agentName", value: name })),
    ...all.flatMap((one) => bindingFaults(one, known)),
    ...doubles(all),
    ...[...mapOf(hooks)].flatMap(([hook, value]) => hookFaults(value, `gateway.hooks.${hook}.agent`, known)),
  ];
}

/** One that answers in a conversation there is takes the agent of that. */
function hookFaults(value: unknown, at: string, known: Known): readonly Fault[] {
  const agent = textIn(value, "agent");
  if (agent === undefined) return [];
  const unknown = unknownAgent(agent, at, known);
  const session = textIn(value, "session") ?? "own";
  if (unknown.length > 0 || (session !== "own" && session !== "fresh")) return unknown;
  const readers = (listIn(value, "deliver") ?? []).map((chat) => readerOf(addressIn(chat) ?? {}, known));
  // Where they differ it is made for the owner.
  const [only = OWNER] = new Set(readers).size === 1 ? readers : [];
  return readers.includes(undefined) ? [] : notFor(agent, only, at, known);
}

/** @param person whose own agent it is. */
function bindingIn(value: unknown, at: string, person?: PersonId): Binding | undefined {
  const agent = textIn(value, "agent");
  if (agent === undefined) return undefined;
  if (person !== undefined) return { person, agent, at };
  const asked = PLACES.flatMap((name) => {
    const text = textIn(value, name);
    return text === undefined ? [] : [[name, text]];
  });
  return { ...Object.fromEntries(asked), agent, at };
}

function bindingFaults(one: Binding, known: Known): readonly Fault[] {
  const { at, agent, person } = one;
  const isOwn = at.startsWith("people.");
  if (formOf(one) === undefined) return [{ path: at, problem: "binding" }];
  if (person !== undefined && person !== OWNER && !known.people.has(person))
    return [{ path: `${at}.person`, problem: "nobody", value: person }];
  const unknown = unknownAgent(agent, isOwn ? at : `${at}.agent`, known);
  if (unknown.length > 0) return unknown;
  const reader = readerOf(one, known);
  return reader === undefined ? [] : notFor(agent, reader, at, known);
}

function notFor(agent: string, reader: Audience, path: string, { agents, people }: Known): readonly Fault[] {
  const readers = listIn(agents.get(agent), "for") ?? [OWNER];
  if (agent === MAIN || coversReader(readers, reader, (id) => people.has(id))) return [];
  return [{ path, problem: "notFor", value: reader, hint: `agents.${agent}.for` }];
}

function unknownAgent(agent: string, path: string, { agents }: Known): readonly Fault[] {
  if (agent === MAIN || agents.has(agent)) return [];
  const near = nearest(agent, [MAIN, ...agents.keys()]);
  return [{ path, problem: "agent", value: agent, hint: near === undefined ? "agents" : `agents.${near}` }];
}

/** Who reads where it holds, as far as the configuration says it. */
function readerOf(
  { channel, chat, person }: Pick<Binding, (typeof PLACES)[number]>,
  { people, channels }: Known,
): Audience | undefined {
  if (channel !== undefined && chat !== undefined) {
    const settings = channels.get(channel);
    if (mapOf(isRecord(settings) ? settings["chats"] : undefined).has(chat)) return groupOf({ channel, chat });
    const there = [...people].find(([, value]) => listIn(value, "ids")?.includes(`${channel}:${chat}`));
    if (there !== undefined) return there[0];
    if (listIn(settings, "operators")?.includes(chat)) return OWNER;
    if (listIn(settings, "allowFrom")?.includes(chat)) return "guest";
  }
  return channel !== undefined && chat !== undefined ? undefined : person;
}

/** Two that hold for the same, and neither goes before the other. */
function doubles(all: readonly Binding[]): readonly Fault[] {
  const seen = new Map<string, string>();
  return all.flatMap((one): readonly Fault[] => {
    const key = JSON.stringify(PLACES.map((name) => one[name] ?? null));
    const before = seen.get(key);
    seen.set(key, before ?? one.at);
    return before === undefined ? [] : [{ path: one.at, problem: "bound", hint: before }];
  });
}

/** Without any setting there is none, also before that is looked at. */
function thereIn(agents: unknown): ReadonlyMap<string, unknown> {
  return new Map([...mapOf(agents)].filter(([, one]) => isRecord(one) && Object.keys(one).length > 0));
}

function mapOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(isRecord(value) ? Object.entries(value) : []);
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isRecord(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}

function listIn(value: unknown, name: string): readonly string[] | undefined {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : undefined;
}
