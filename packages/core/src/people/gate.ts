/** Whether what is said in a group is answered, only heard, or none of our business: from facts of the platform. Pure. */
import type { Millis } from "../contract/base.ts";
import type { InboundMessage } from "../contract/bus.ts";
import type { GroupManners, Role } from "../contract/people.ts";
import { LATE_MS } from "../lib/text.ts";
import { says } from "../lib/whole-word.ts";

/** `late`: a command from before a pause, which nobody means any more. */
export type Gate = "answer" | "hear" | "drop" | "late";

export interface GateFacts {
  /** Undefined: nobody asked us here. */
  readonly manners: GroupManners | undefined;
  readonly role: Role;
  /** Somebody whom we answer. */
  readonly isAdmitted: boolean;
  /** A command of ours, by name. */
  readonly command?: string;
  readonly now: Millis;
  /** Who was answered here last, and when. */
  readonly last?: { readonly by: string; readonly at: Millis };
  /** They go on with what they said to us a moment ago. */
  readonly isMore?: boolean;
  /** How many bots were answered since a person last spoke. */
  readonly bots: number;
}

/** What was said longer ago than that was heard, and nobody waits for an answer. */
const FORGOTTEN_MS = 21_600_000;
const FOLLOW_MS = 600_000;
/** Two bots that answer each other would go on for ever. */
const MAX_BOTS = 3;

export function gate(message: InboundMessage, facts: GateFacts): Gate {
  const { manners, command, now } = facts;
  const ageMs = now - (message.sentAt ?? now);
  if (manners === undefined || manners.mode === "off")
    return command === "here" && facts.role === "operator" && ageMs <= LATE_MS ? "answer" : "drop";
  if ((command !== undefined || message.control !== undefined) && ageMs > LATE_MS) return "late";
  if (ageMs > FORGOTTEN_MS || !facts.isAdmitted) return "hear";
  return isForUs(message, manners, facts) ? "answer" : "hear";
}

function isForUs(
  message: InboundMessage,
  manners: GroupManners,
  { command, last, isMore, bots, now }: GateFacts,
): boolean {
  const { addressed, from } = message;
  const isMeant = addressed !== undefined && addressed !== "other";
  if (from.bot === true) return manners.bots === "named" && isMeant && bots < MAX_BOTS;
  if (command !== undefined || message.control !== undefined) return true;
  if (manners.mode === "listen") return false;
  if (isMeant || isCalled(message, manners.names)) return true;
  if (addressed === "other") return false;
  if (manners.mode === "all" || isMore === true) return true;
  return manners.follow && last?.by === from.id && now - last.at <= FOLLOW_MS;
}

/** By a name of ours, in their own words: not in code, nor in what they quote. */
function isCalled({ parts }: InboundMessage, names: readonly string[]): boolean {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const own = text
    .replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, " ")
    .replaceAll(/^>.*$/gm, " ")
    .toLowerCase();
  return names.some((name) => {
    const word = name.trim().toLowerCase();
    return word !== "" && (says(own, word) || says(own, `@${word}`));
  });
}
