/** Who a sender is to the agent: a person, a guest, or a stranger, and which setting says so. */
import type { Audience, PersonId, Role } from "@margay/core/internal";
import type { JsonObject } from "@margay/core";
import type { Config } from "../config/config.ts";
import { valueAt } from "../config/value-at.ts";
import { isOwnEntrance, personAt } from "./operator.ts";
import type { Pairing } from "./pairing.ts";

/** The person who is there without any configuration. */
export const OWNER: PersonId = "owner";

/**
 * By what somebody is known: the terminal or the pages; `people.*.ids`; `channels.*.operators`; a code, as operator;
 * `channels.*.allowFrom`, by id or by `*`; a code. The first that holds decides.
 */
export type Because = "entrance" | "person" | "operators" | "paired-operator" | "listed" | "everyone" | "paired";

export interface Speaker {
  readonly role: Role;
  readonly because: Because;
  /** Absent: a guest. */
  readonly person?: PersonId;
}

export interface PeopleSources {
  /** As it is now. */
  readonly config: () => Pick<Config, "people" | "channelsById">;
  readonly pairing: Pick<Pairing, "has" | "isOperator">;
}

export interface People {
  /** Undefined: a stranger. Ids are compared exactly. */
  speaker(channel: string, sender: string): Speaker | undefined;
  isOperator(channel: string, sender: string): boolean;
  isOwner(channel: string, sender: string): boolean;
}

export function peopleOf({ config, pairing }: PeopleSources): People {
  const speaker = (channel: string, sender: string): Speaker | undefined => {
    const { people, channelsById } = config();
    const there = personAt(sender, channel);
    const role = there === undefined ? undefined : roleIn({ people }, there);
    if (there !== undefined) return role && { role, because: "entrance", person: there };
    if (isOwnEntrance(channel)) return { role: "operator", because: "entrance", person: OWNER };
    const identity = `${channel}:${sender}`;
    const found = Object.entries(people).find(([, { ids }]) => ids.includes(identity));
    if (found !== undefined) return { role: roleOf(found), because: "person", person: found[0] };
    const { operators = [], allowFrom = [] } = Object.hasOwn(channelsById, channel)
      ? (channelsById[channel] ?? {})
      : {};
    if (operators.includes(sender)) return { role: "operator", because: "operators", person: OWNER };
    if (pairing.isOperator(channel, sender)) return { role: "operator", because: "paired-operator", person: OWNER };
    if (allowFrom.includes(sender)) return { role: "guest", because: "listed" };
    if (allowFrom.includes("*")) return { role: "guest", because: "everyone" };
    return pairing.has(channel, sender) ? { role: "guest", because: "paired" } : undefined;
  };
  return {
    speaker,
    isOperator: (channel, sender) => speaker(channel, sender)?.role === "operator",
    isOwner: (channel, sender) => speaker(channel, sender)?.person === OWNER,
  };
}

/** One sender of one channel. */
export interface Identity {
  readonly channel: string;
  readonly sender: string;
}

/** Everybody whom the configuration or a code names, each once: first persons, then who is named beside a channel. */
export function identitiesOf(
  { people, channelsById }: Pick<Config, "people" | "channelsById">,
  paired: readonly Identity[],
): readonly Identity[] {
  const named = Object.values(people).flatMap(({ ids }) => ids.map((id) => identityIn(id)));
  const configured = Object.entries(channelsById).flatMap(([channel, { operators, allowFrom }]) =>
    [...operators, ...allowFrom].map((sender) => ({ channel, sender })),
  );
  const all = [...named, ...configured, ...paired].filter(({ sender }) => sender !== "*");
  return [...new Map(all.map(({ channel, sender }) => [`${channel}:${sender}`, { channel, sender }])).values()];
}

/** Where an identity of this person stands in the file: the owner's beside the channel, unless somebody wrote it with the others. */
export function identityPlace(raw: JsonObject, person: PersonId, { channel, sender }: Identity): IdentityPlace {
  const identity = `${channel}:${sender}`;
  const own = valueAt(raw, ["people", OWNER, "ids"]);
  const isBeside = person === OWNER && !(Array.isArray(own) && own.includes(identity));
  const names = isBeside ? ["channels", channel, "operators"] : ["people", person, "ids"];
  const value = valueAt(raw, names);
  return {
    path: names.join("."),
    list: Array.isArray(value) ? value.map(String) : [],
    entry: isBeside ? sender : identity,
  };
}

export interface IdentityPlace {
  readonly path: string;
  readonly list: readonly string[];
  readonly entry: string;
}

/** `channel:id` as its parts. */
export function identityIn(text: string): Identity {
  const at = text.indexOf(":");
  return { channel: text.slice(0, at), sender: text.slice(at + 1) };
}

/** Undefined: nobody of that name is there. */
export function roleIn({ people }: Pick<Config, "people">, person: PersonId): Role | undefined {
  const found = Object.entries(people).find(([id]) => id === person);
  return found === undefined ? undefined : roleOf(found);
}

function roleOf([person, { role }]: readonly [PersonId, Config["people"][string]]): Role {
  return person === OWNER ? "operator" : role;
}

/** Whose conversation it becomes; undefined: the owner's. */
export function audienceOf({ person }: Pick<Speaker, "person">): Audience | undefined {
  return person === OWNER ? undefined : (person ?? "guest");
}
