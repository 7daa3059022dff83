import type { Sender } from "@margay/core";
import { OWN_ENTRANCES } from "../config/channel-ids.ts";

/** Who sits at the machine itself: its commands, its terminal, its pages. */
export const OPERATOR: Sender = { id: "user", kind: "person" };

/** Who writes there is an operator; people of a chat platform are guests, paired or not. */
export function isOwnEntrance(channel: string): boolean {
  return OWN_ENTRANCES.has(channel);
}

/** A program with a token of scope `chat`, by the id that it bears. */
export function programId(token: string): string {
  return `api:${token}`;
}

/** Whether a program wrote by an own entrance, and not the operator. */
export function isProgram({ id }: Sender, channel: string): boolean {
  return isOwnEntrance(channel) && id.startsWith(programId(""));
}

/** The person whose login it is that speaks at an own entrance, by the id that it bears. */
export function loginId(person: string): string {
  return `person:${person}`;
}

/** Undefined: the owner, or a program. */
export function personAt(id: string, channel: string): string | undefined {
  const prefix = loginId("");
  return isOwnEntrance(channel) && id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}
