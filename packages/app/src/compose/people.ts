/** Who somebody is to the agent: admitted, a guest, an operator, somebody it may write to. */
import type { AgentOptions } from "@margay/core";
import { createAdmission } from "../features/access/admission.ts";
import { isOwnEntrance, isProgram } from "../host/operator.ts";
import type { Pairing } from "../host/pairing.ts";
import { explained } from "../features/people/explained.ts";
import type { People } from "../host/people.ts";
import { commandIn } from "../texts/command.ts";
import { translator } from "../texts/translate.ts";

export interface PeopleOptions {
  readonly pairing: Pairing;
  readonly people: People;
  readonly language: "en" | "zh-CN";
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Guests = NonNullable<AgentOptions["guests"]>;

/** What the agent asks about whoever writes. */
export interface AgentPeople {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly isGuest: Guests["isGuest"];
  readonly mayApprove: NonNullable<AgentOptions["mayApprove"]>;
  readonly isContact: NonNullable<AgentOptions["isContact"]>;
  readonly whoami: NonNullable<AgentOptions["whoami"]>;
}

export function createPeople({ pairing, people, language, env }: PeopleOptions): AgentPeople {
  const t = translator(language, commandIn(env));
  return {
    admit: createAdmission({ people, pairing, language: () => language }),
    isGuest: (by, { channel }) => by.kind === "person" && !people.isOperator(channel, by.id),
    // A program with a token of scope `chat` speaks for itself, not for the operator.
    mayApprove: (by, { channel }) => people.isOperator(channel, by.id) && !isProgram(by, channel),
    isContact: (channel, chat) =>
      pairing.has(channel, chat) || (!isOwnEntrance(channel) && people.isOperator(channel, chat)),
    whoami: (by, { channel }) => (isProgram(by, channel) ? t("people.program") : explained(people, channel, by.id, t)),
  };
}
