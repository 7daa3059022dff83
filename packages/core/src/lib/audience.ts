/** How readers are told apart, and agents. */
import type { Address } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";

/** The sender of what was said in a group and not to us. */
export const GROUP = "group";
const PREFIX = `${GROUP}:`;

/** All threads of a group have the same readers. */
export function groupOf({ channel, chat }: Pick<Address, "channel" | "chat">): Audience {
  return `${PREFIX}${channel}:${chat}`;
}

export function isGroup(audience: Audience | undefined): boolean {
  return audience?.startsWith(PREFIX) === true;
}

/** Somebody with a room of their own, and no group. */
export function isPerson(audience: Audience | undefined): boolean {
  return audience !== undefined && audience !== "owner" && audience !== "guest" && !isGroup(audience);
}

/** The agent that is the home itself. */
export const MAIN = "main";

/** An agent, or those of a subagent and of who started it: it may do what all of them may. */
export function agentsIn(agent: string): readonly string[] {
  return agent.split("/");
}
