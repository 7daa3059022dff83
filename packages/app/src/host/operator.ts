import type { Sender } from "@margay/core";

/** Who sits at the machine itself: its commands, its terminal, its pages. */
export const OPERATOR: Sender = { id: "user", kind: "person" };

/** Entrances of this process itself: whoever reaches them holds the operator's account or token. */
const OWN: ReadonlySet<string> = new Set(["cli", "api", "web", "direct", "cron", "heartbeat", "system"]);

/** Who writes there is an operator; people of a chat platform are guests, paired or not. */
export function isOwnEntrance(channel: string): boolean {
  return OWN.has(channel);
}

/** A program with a token of scope `chat`, by the id that it bears. */
export function programId(token: string): string {
  return `api:${token}`;
}

/** Whether a program wrote by an own entrance, and not the operator. */
export function isProgram({ id }: Sender, channel: string): boolean {
  return isOwnEntrance(channel) && id.startsWith(programId(""));
}
