/** Who somebody is to the agent: admitted, a guest, an operator, somebody it may write to. */
import type { AgentOptions } from "@margay/core";
import { createAdmission } from "../features/access/admission.ts";
import { isOwnEntrance } from "../host/operator.ts";
import type { Pairing } from "../host/pairing.ts";
import type { Loaded } from "../config/load.ts";

export interface PeopleOptions {
  readonly pairing: Pairing;
  /** As it is now. */
  readonly loaded: () => Loaded;
  readonly language: "en" | "zh-CN";
}

type Guests = NonNullable<AgentOptions["guests"]>;

export interface People {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly isGuest: Guests["isGuest"];
  readonly mayApprove: NonNullable<AgentOptions["mayApprove"]>;
  readonly isContact: NonNullable<AgentOptions["isContact"]>;
}

export function createPeople({ pairing, loaded, language }: PeopleOptions): People {
  return {
    admit: createAdmission({
      allowFrom: (channel) => loaded().config.channelsById[channel]?.allowFrom ?? [],
      pairing,
      language: () => language,
    }),
    isGuest: (by, { channel }) =>
      by.kind === "person" && !isOwnEntrance(channel) && !pairing.isOperator(channel, by.id),
    // A program with a token of scope `chat` speaks for itself, not for the operator.
    mayApprove: (by, { channel }) =>
      (isOwnEntrance(channel) && !by.id.startsWith("api:")) || pairing.isOperator(channel, by.id),
    isContact: (channel, chat) => pairing.has(channel, chat),
  };
}
