/** Which agent a conversation works with: the most specific binding that fits it, of those that its readers may use. Pure. */
import type { Audience, PersonId } from "../contract/people.ts";
import type { Address } from "../contract/message.ts";
import { isGroup, MAIN } from "../lib/audience.ts";

/** What a binding holds for; what is absent it does not ask for. */
export interface Binding {
  readonly channel?: string;
  readonly chat?: string;
  readonly thread?: string;
  readonly person?: PersonId;
  readonly agent: string;
  /** Its place in the configuration: `bindings[0]`. */
  readonly at: string;
}

/** A conversation whose agent is looked for. */
export interface BindingCase {
  readonly origin: Pick<Address, "channel" | "chat" | "thread">;
  /** `owner` for the owner alone. */
  readonly audience: Audience;
  /** In a group: who opens the turn. Absent: a guest. */
  readonly person?: PersonId;
  /** Here and by hand, or for a job, a webhook, a program. */
  readonly chosen?: string;
}

export interface Bindings {
  readonly bindings: readonly Binding[];
  /** Whether this agent is there, and for these readers. */
  readonly isFor: (agent: string, audience: Audience) => boolean;
}

export interface Bound {
  readonly agent: string;
  /** What decided: a place in the configuration and its form, `chosen`, or `main`. */
  readonly rule: string;
}

/** From the most specific on. */
const FORMS = ["thread+person", "thread", "chat+person", "chat", "channel+person", "person", "channel"] as const;
export type BindingForm = (typeof FORMS)[number];

/** @returns undefined: it asks for nothing, or for a part without the whole that it is a part of. */
export function formOf({ channel, chat, thread, person }: Omit<Binding, "agent" | "at">): BindingForm | undefined {
  if ((chat !== undefined && channel === undefined) || (thread !== undefined && chat === undefined)) return undefined;
  const place = thread !== undefined ? "thread" : chat !== undefined ? "chat" : channel !== undefined ? "channel" : "";
  const form = [place, ...(person === undefined ? [] : ["person"])].filter((part) => part !== "").join("+");
  return FORMS.find((one) => one === form);
}

export function bindingOf({ origin, audience, person, chosen }: BindingCase, { bindings, isFor }: Bindings): Bound {
  if (chosen === MAIN) return { agent: MAIN, rule: "chosen" };
  if (chosen !== undefined && isFor(chosen, audience)) return { agent: chosen, rule: "chosen" };
  const fits = (one: Binding): boolean =>
    (one.channel === undefined || one.channel === origin.channel) &&
    (one.chat === undefined || one.chat === origin.chat) &&
    (one.thread === undefined || one.thread === origin.thread) &&
    (one.person === undefined || one.person === person) &&
    (one.agent === MAIN || isFor(one.agent, audience));
  for (const form of FORMS) {
    const found = bindings.find((one) => formOf(one) === form && fits(one));
    if (found !== undefined) return { agent: found.agent, rule: `${found.at} (${form})` };
  }
  return { agent: MAIN, rule: MAIN };
}

/**
 * Whether what is for these readers is for who reads here. `household`: the owner and every person; `guest`, `group`: all of them;
 * `public`: everybody. Anything else is the name of a reader.
 * @param isKnown whether somebody is a person of the house.
 */
export function coversReader(
  readers: readonly string[],
  audience: Audience,
  isKnown: (person: PersonId) => boolean,
): boolean {
  const is = (one: string): boolean => readers.includes(one);
  if (is("public") || is(audience)) return true;
  if (isGroup(audience)) return is("group");
  return audience !== "guest" && is("household") && (audience === "owner" || isKnown(audience));
}

/** A pattern of names, in which `*` stands for any letters. */
export function fitsPattern(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const [first = "", ...rest] = pattern.split("*");
    if (rest.length === 0) return name === pattern;
    const last = rest.pop() ?? "";
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > name.length - last.length) return false;
      at = found + part.length;
    }
    return true;
  });
}
