/** Who somebody is to the agent: admitted, a guest, an operator, somebody it may write to. */
import type { PeopleOptions } from "@margay/core/internal";
import type { AgentOptions } from "@margay/core";
import { createAdmission } from "../features/access/admission.ts";
import type { Config } from "../config/config.ts";
import { isOwnEntrance, isProgram, programId } from "../host/operator.ts";
import type { Pairing } from "../host/pairing.ts";
import { explained } from "../features/people/explained.ts";
import type { Invited } from "../features/people/invited.ts";
import type { Linking } from "../features/people/linking.ts";
import { membersOf } from "../host/members.ts";
import { audienceOf, type People, type Speaker } from "../host/people.ts";
import { commandIn } from "../texts/command.ts";
import { translator } from "../texts/translate.ts";

/** What comes of somebody who was admitted and is known no more. */
const STRANGER: Pick<Speaker, "role" | "person"> = { role: "guest" };

export interface AgentPeopleOptions {
  readonly pairing: Pairing;
  readonly people: People;
  readonly linking: Linking;
  readonly invited: Invited;
  readonly language: "en" | "zh-CN";
  /** As it is now. */
  readonly config: () => Pick<Config, "channelsById" | "people">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whom a program with this token asks for. Undefined: the owner. */
  readonly tokenReader: (token: string) => string | undefined;
}

/** What the agent asks about whoever writes. */
export interface AgentPeople {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly speaker: PeopleOptions["speaker"];
  readonly members: ReturnType<typeof membersOf>;
  readonly mayApprove: NonNullable<AgentOptions["mayApprove"]>;
  readonly isContact: NonNullable<AgentOptions["isContact"]>;
  readonly whoami: NonNullable<AgentOptions["whoami"]>;
  readonly link: NonNullable<AgentOptions["link"]>;
}

export function createPeople({
  pairing,
  people,
  linking,
  invited,
  language,
  config,
  env,
  tokenReader,
}: AgentPeopleOptions): AgentPeople {
  const t = translator(language, commandIn(env));
  return {
    admit: createAdmission({ people, pairing, link: linking.byStranger, invited, language: () => language, config }),
    speaker: (by, { channel }) => {
      if (by.kind !== "person") return { role: "operator" };
      const reader = isProgram(by, channel) ? tokenReader(by.id.slice(programId("").length)) : undefined;
      if (reader !== undefined)
        return { role: reader === "guest" ? "guest" : "member", audience: reader, program: true };
      const speaker = people.speaker(channel, by.id) ?? STRANGER;
      const audience = audienceOf(speaker);
      const { person, role } = speaker;
      const name = person === undefined ? undefined : (config().people[person]?.name ?? by.name ?? person);
      return { role, ...(audience !== undefined && { audience }), ...(name !== undefined && { name }) };
    },
    members: membersOf(config),
    // A program with a token of scope `chat` speaks for itself, not for the operator.
    mayApprove: (by, { channel }) => people.isOperator(channel, by.id) && !isProgram(by, channel),
    isContact: (channel, chat) =>
      pairing.has(channel, chat) || (!isOwnEntrance(channel) && people.speaker(channel, chat)?.person !== undefined),
    whoami: (by, { channel }) => (isProgram(by, channel) ? t("people.program") : explained(people, channel, by.id, t)),
    link: linking.asked,
  };
}
