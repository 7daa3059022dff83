/** What margay takes a sender for, in words. */
import { visible } from "@margay/core/internal";
import { OWNER, type People, type Speaker } from "../../host/people.ts";
import type { Translate } from "../../texts/translate.ts";

export function becauseText({ because, person = "" }: Speaker, channel: string, t: Translate): string {
  switch (because) {
    case "entrance":
    case "paired-operator":
    case "paired":
      return t(`people.by.${because}`);
    case "person":
      return t("people.by.person", { person: visible(person) });
    case "operators":
    case "listed":
    case "everyone":
      return t(`people.by.${because}`, { channel });
  }
}

/** One sentence: who, by which setting, what it means, and how an account of the owner becomes one. */
export function explained(people: People, channel: string, sender: string, t: Translate): string {
  const who = visible(`${channel}:${sender}`);
  const speaker = people.speaker(channel, sender);
  if (speaker === undefined) return t("people.stranger", { who });
  const because = becauseText(speaker, channel, t);
  const { person, role } = speaker;
  if (person === undefined || person === OWNER)
    return t(person === OWNER ? "people.operator" : "people.guest", { who, because });
  return t(role === "operator" ? "people.otherOperator" : "people.member", { who, person, because });
}
