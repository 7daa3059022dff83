/** Who a sender is to the agent: the owner, a guest, or a stranger, and which setting says so. */
import type { Config } from "../config/config.ts";
import { isOwnEntrance } from "./operator.ts";
import type { Pairing } from "./pairing.ts";

/** `operator`: what the owner may. `guest`: admitted, and sees nothing of the owner's. */
export type Role = "operator" | "guest";

/**
 * By what somebody is known: the terminal or the pages; `channels.*.operators`; a code, as operator; `channels.*.allowFrom`, by id
 * or by `*`; a code. The first that holds decides.
 */
export type Because = "entrance" | "operators" | "paired-operator" | "listed" | "everyone" | "paired";

export interface Speaker {
  readonly role: Role;
  readonly because: Because;
}

export interface PeopleSources {
  /** As it is now. */
  readonly channels: () => Config["channelsById"];
  readonly pairing: Pick<Pairing, "has" | "isOperator">;
}

export interface People {
  /** Undefined: a stranger. Ids are compared exactly. */
  speaker(channel: string, sender: string): Speaker | undefined;
  isOperator(channel: string, sender: string): boolean;
}

export function peopleOf({ channels, pairing }: PeopleSources): People {
  const speaker = (channel: string, sender: string): Speaker | undefined => {
    if (isOwnEntrance(channel)) return { role: "operator", because: "entrance" };
    const all = channels();
    const { operators = [], allowFrom = [] } = Object.hasOwn(all, channel) ? (all[channel] ?? {}) : {};
    if (operators.includes(sender)) return { role: "operator", because: "operators" };
    if (pairing.isOperator(channel, sender)) return { role: "operator", because: "paired-operator" };
    if (allowFrom.includes(sender)) return { role: "guest", because: "listed" };
    if (allowFrom.includes("*")) return { role: "guest", because: "everyone" };
    return pairing.has(channel, sender) ? { role: "guest", because: "paired" } : undefined;
  };
  return { speaker, isOperator: (channel, sender) => speaker(channel, sender)?.role === "operator" };
}
