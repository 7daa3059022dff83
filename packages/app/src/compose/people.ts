/** Who somebody is to the agent: admitted, a guest, an operator, somebody it may write to. */
import type { AgentOptions } from "@margay/core";
import { createAdmission } from "../features/access/admission.ts";
import { isOwnEntrance } from "../host/operator.ts";
import type { Pairing } from "../host/pairing.ts";
import { explained } from "../features/people/explained.ts";
import type { People } from "../host/people.ts";
import { translator } from "../texts/translate.ts";

export interface PeopleOptions {
  readonly pairing: Pairing;
  readonly people: People;
  readonly language: "en" | "zh-CN";
}

type Guests = NonNullable<AgentOptions["guests"]>;

export interface Judged {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly isGuest: Guests["isGuest"];
  readonly mayApprove: NonNullable<AgentOptions["mayApprove"]>;
  readonly isContact: NonNullable<AgentOptions["isContact"]>;
  readonly whoami: NonNullable<AgentOptions["whoami"]>;
}

export function createPeople({ pairing, people, language }: PeopleOptions): Judged {
  return {
    admit: createAdmission({ people, pairing, language: () => language }),
    isGuest: (by, { channel }) => by.kind === "person" && !people.isOperator(channel, by.id),
    // A program with a token of scope `chat` speaks for itself, not for the operator.
    mayApprove: (by, { channel }) =>
      people.isOperator(channel, by.id) && !(isOwnEntrance(channel) && by.id.startsWith("api:")),
    isContact: (channel, chat) =>
      pairing.has(channel, chat) || (!isOwnEntrance(channel) && people.isOperator(channel, chat)),
    whoami: (by, { channel }) => explained(people, channel, by.id, translator(language)),
  };
}
