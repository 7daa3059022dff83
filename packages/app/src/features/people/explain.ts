/** What margay takes a sender for, and what becomes of their words in a group: by the functions that decide it. */
import { bindingOf, gate, type Gate, groupOf, visible } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import type { Places } from "../../config/paths.ts";
import { bindingsOf } from "../../host/agents.ts";
import { isAdmittedIn, openGroups } from "../../host/groups.ts";
import { audienceOf, type Identity, OWNER, peopleOf, type PeopleSources, type Speaker } from "../../host/people.ts";
import { effectiveModel } from "../../models/choose-model.ts";
import type { Translate } from "../../texts/translate.ts";
import { explained } from "./explained.ts";

export interface Asked extends Identity {
  /** In this group. */
  readonly group?: string | undefined;
  /** As if they named margay there. */
  readonly isNamed?: boolean;
}

export interface Explanation {
  /** Undefined: a stranger. */
  readonly speaker: Speaker | undefined;
  readonly gate?: Gate;
  /** What answers them there, and by which rule. Absent: there are no agents, or nobody is answered. */
  readonly agent?: { readonly agent: string; readonly rule: string; readonly model: string };
  /** The same in sentences. */
  readonly texts: readonly string[];
}

export interface ExplainSources {
  readonly config: Config;
  readonly pairing: PeopleSources["pairing"];
  readonly places: Pick<Places, "docs">;
}

export function explain(asked: Asked, sources: ExplainSources, t: Translate): Explanation {
  const { config, pairing } = sources;
  const people = peopleOf({ config: () => config, pairing });
  const { channel, sender, group: chat } = asked;
  const speaker = people.speaker(channel, sender);
  const group = chat === undefined ? undefined : inGroup({ ...asked, chat }, speaker, sources, t);
  const agent = speaker === undefined ? undefined : agentFor(asked, speaker, config);
  return {
    speaker,
    ...(group !== undefined && { gate: group.gate }),
    ...(agent !== undefined && { agent }),
    texts: [
      explained(people, channel, sender, t),
      ...(group === undefined ? [] : [group.text]),
      ...(agent === undefined ? [] : [t("people.agent", agent)]),
    ],
  };
}

function agentFor({ channel, group: chat, sender }: Asked, speaker: Speaker, config: Config): Explanation["agent"] {
  if (Object.keys(config.agents).length === 0) return undefined;
  const { person } = speaker;
  const audience = chat === undefined ? (audienceOf(speaker) ?? OWNER) : groupOf({ channel, chat });
  const origin = { channel, chat: chat ?? sender };
  const found = bindingOf({ origin, audience, ...(person !== undefined && { person }) }, bindingsOf(config));
  const model = config.agents[found.agent]?.model ?? effectiveModel(config) ?? "-";
  return { ...found, model };
}

const NAMED = { addressed: "named" } as const;

/** What becomes of a word in a group, by the function that decides it. */
function inGroup(
  { channel, chat, sender, isNamed = false }: Asked & { readonly chat: string },
  speaker: Speaker | undefined,
  { config, places }: ExplainSources,
  t: Translate,
): { readonly gate: Gate; readonly text: string } {
  const origin = { channel, chat };
  const manners = openGroups({ config: () => config, places }).manners(origin);
  const isAdmitted = speaker !== undefined || isAdmittedIn(config, origin, sender);
  const from = { id: sender, kind: "person" } as const;
  const message = { key: "", origin, from, parts: [], chat: "group", ...(isNamed && NAMED) } as const;
  const decided = gate(message, { manners, role: speaker?.role ?? "guest", isAdmitted, now: 0, bots: 0 });
  const who = visible(`${channel}:${chat}`);
  const why = isAdmitted || decided === "drop" ? decided : "stranger";
  return { gate: decided, text: t(`people.group.${why}`, { who, mode: manners?.mode ?? "off" }) };
}
