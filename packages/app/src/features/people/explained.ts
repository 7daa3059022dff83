/** What margay takes a sender for, in words. */
import { visible } from "@margay/core/internal";
import type { People, Speaker } from "../../host/people.ts";
import type { Translate } from "../../texts/translate.ts";

export function becauseText({ because }: Speaker, channel: string, t: Translate): string {
  return because === "entrance" || because === "paired-operator" || because === "paired"
    ? t(`people.by.${because}`)
    : t(`people.by.${because}`, { channel });
}

/** One sentence: who, by which setting, what it means, and how an account of the owner becomes one. */
export function explained(people: People, channel: string, sender: string, t: Translate): string {
  const who = visible(`${channel}:${sender}`);
  const speaker = people.speaker(channel, sender);
  if (speaker === undefined) return t("people.stranger", { who });
  return t(`people.${speaker.role}`, { who, because: becauseText(speaker, channel, t) });
}
