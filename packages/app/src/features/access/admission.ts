/** Who may talk to the agent: exact ids from the configuration, or paired by a code; everyone else is refused. */
import type { InboundMessage } from "@margay/core";
import type { Admission } from "@margay/core/internal";
import type { Pairing, Stranger } from "../../host/pairing.ts";
import type { Config } from "../../config/config.ts";
import { isAdmittedIn } from "../../host/groups.ts";
import { words } from "../../host/api/words.ts";
import type { People } from "../../host/people.ts";
import { TEXT } from "./api-texts.ts";

export interface AdmissionOptions {
  readonly people: People;
  readonly pairing: Pick<Pairing, "offer">;
  /** What a stranger is told who sends a code of `/link`; undefined: it is none. */
  readonly link: (message: InboundMessage) => Promise<string | undefined>;
  /** What the sender of an invitation's code is told; undefined: it is none. */
  readonly invited: (message: InboundMessage) => Promise<string | undefined>;
  readonly language: () => "en" | "zh-CN";
  /** As it is now. */
  readonly config: () => Pick<Config, "channelsById">;
}

export function createAdmission({
  people,
  pairing,
  link,
  invited,
  language,
  config,
}: AdmissionOptions): (message: InboundMessage) => Promise<Admission> {
  return async (message) => {
    const { origin, from } = message;
    const { channel } = origin;
    // Refused, whoever they are: what was said here is kept nowhere.
    const welcome = await invited(message);
    if (welcome !== undefined) return { ok: false, reason: "the code of an invitation", answer: welcome };
    if (from.kind !== "person" || people.speaker(channel, from.id) !== undefined) return { ok: true };
    if (message.chat === "group" && isAdmittedIn(config(), origin, from.id)) return { ok: true };
    const reason = `${channel} sender ${from.id} is not admitted`;
    const linked = await link(message);
    if (linked !== undefined)
      // Somebody now: the command answers in their conversation, so that the answer cannot be lost.
      return people.speaker(channel, from.id) === undefined ? { ok: false, reason, answer: linked } : { ok: true };
    const code = message.chat === "private" ? await pairing.offer(channel, from.id, about(message)) : undefined;
    return { ok: false, reason, ...(code !== undefined && { answer: invitation(language(), code) }) };
  };
}

function invitation(language: "en" | "zh-CN", code: string): string {
  return words(language, TEXT.invitation, { code });
}

/** For whoever decides: the stranger's own words, not yet shown to any model. */
function about({ from, parts }: InboundMessage): Stranger {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { ...(from.name !== undefined && { name: from.name }), ...(text !== "" && { firstText: text }) };
}
