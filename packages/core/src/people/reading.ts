/** Keeps a text from who may not read it: before a call that tells somebody, in what is said in a chat, and in what waits for it. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Address, Marks, ToolCallPart } from "../contract/message.ts";
import type { Audience, PersonId, Readers } from "../contract/people.ts";
import type { JudgeContext, Policy, Verdict } from "../contract/policy.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { QueuedReply } from "../contract/bus.ts";
import type { SessionState } from "../contract/session.ts";
import { isPerson, MAIN, OWNER } from "../lib/audience.ts";
import { isRecord } from "../lib/is-record.ts";
import { isUntrusted, marksOf } from "../lib/labels.ts";
import { messageTo } from "../lib/session-key.ts";
import { speaker } from "../lib/texts.ts";
import { personNamed } from "./persons.ts";
import { askedInOrder, HOUSEHOLD, needs, personOf, placed, readerAt, readerOf, withheld } from "./readers.ts";
import { isSaid, isWrite, type SharedWrite, sharedWrite, unsaid } from "./shared-writes.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

type People = Pick<
  PeopleOptions,
  "roleOf" | "isIn" | "isAlone" | "audienceAt" | "usualAt" | "contact" | "persons" | "shared" | "room"
>;

export interface ReadingOptions {
  readonly people: People;
  readonly language: () => AgentSettings["language"];
}

/** `told`: as the rules say. `asked`: first of whom it belongs to, one after the other. `kept`: of nobody who can be asked. */
export type Telling =
  | { readonly how: "told" }
  | { readonly how: "asked"; readonly of: readonly PersonId[]; readonly reader: Audience }
  | { readonly how: "kept"; readonly others: readonly Readers[] };

export interface Reading {
  /** What is said in a chat in place of an answer, or of a reply that waits. Undefined: who reads there may read it. */
  readonly instead: (state: SessionState, reply?: Pick<QueuedReply, "kind" | "marks">) => string | undefined;
  /** Of a text that a conversation puts into another chat. */
  readonly marksFor: (state: SessionState, to: Address) => Promise<Marks>;
  /** What becomes of it. */
  readonly telling: (state: SessionState, to: Address, attended: boolean) => Promise<Telling>;
  /** @param ofOthers judges the calls of conversations that others read than the owner. */
  readonly guarded: (policy: Policy, ofOthers?: Policy["judge"]) => Policy;
}

const say = speaker(en, zh);

export function createReading({ people, language }: ReadingOptions): Reading {
  const readerThere = async (to: Address): Promise<Audience> => readerAt(await people.audienceAt(to), to);
  const telling: Reading["telling"] = async (state, to, attended) => {
    const { channel, chat } = state.origin;
    const reader = to.channel === channel && to.chat === chat ? readerOf(state) : await readerThere(to);
    return tellingOf(state, reader, attended, people);
  };
  return {
    instead: (state, reply) => {
      // A question of a turn has what it asks about in its words, and no marks of its own.
      const isOfTurn = reply === undefined || (reply.kind === "approval" && reply.marks === undefined);
      const { readers } = (isOfTurn ? state.label : reply.marks) ?? {};
      const { audience = people.usualAt(state.origin), origin } = state; // it may be the first thing said there
      const all = needs({
        origin,
        ...(audience !== undefined && { audience }),
        label: readers === undefined ? {} : { readers },
      });
      return withheld(all, readerAt(audience, origin), people).length === 0 ? undefined : say(language())("withheld");
    },
    marksFor: async (state, to) => {
      const reader = await readerThere(to);
      const steers = readerOf(state) === reader; // nobody steers another's agent: not the owner either
      const readers = placed(needs(state), reader, people);
      return marksOf({ ...state.label, ...(!steers && { integrity: "untrusted" }), readers });
    },
    telling,
    guarded: (policy, ofOthers = policy.judge.bind(policy)) => {
      const asked = judgedBy(policy, (call, context) =>
        context.state.audience === undefined ? policy.judge(call, context) : ofOthers(call, context),
      );
      return guarded(asked, people, (call, context) => {
        const told = toldTo(call, context, people);
        if (told === undefined) return undefined;
        const { state, attended } = context;
        return "person" in told ? tellingOf(state, told.person, attended, people) : telling(state, told, attended);
      });
    },
  };
}

/** What would be asked of somebody is asked in a chat of theirs. */
async function tellingOf(state: SessionState, reader: Audience, attended: boolean, people: People): Promise<Telling> {
  const all = needs(state);
  const others = withheld(all, reader, people);
  if (isOwn(others, state, attended, people.isAlone)) return { how: "told" };
  const asker = askerOf(state);
  // Where a stranger's text is in view nobody knows whether they asked for it: then it is asked of them too, and first.
  const isAsked = asker !== undefined && !isUntrusted(state.label) && (attended || state.unasked !== true);
  const of = asker === undefined ? undefined : askedInOrder(all, reader, isAsked ? [asker] : [], people);
  const chats = await Promise.all((of ?? []).map((person) => people.contact(person)));
  const canAsk = of !== undefined && of.length > 0 && chats.every((chat) => chat !== undefined);
  return canAsk ? { how: "asked", of, reader } : { how: "kept", others };
}

/** Before everything else: no rule of the operator's releases what is another's. */
function guarded(
  policy: Policy,
  people: People,
  telling: (call: ToolCallPart, context: JudgeContext) => Promise<Telling> | undefined,
): Policy {
  const { isAlone, shared } = people;
  const judge = async (call: ToolCallPart, context: JudgeContext, asked: Promise<Telling>): Promise<Verdict> => {
    const found = await asked;
    if (found.how === "told") return policy.judge(call, context);
    const others = found.how === "kept" ? found.others : found.of.map((by) => ({ to: [], by }));
    if (found.how === "kept" || !isReleased(call)) return refused(others, askerOf(context.state));
    // Whom it belongs to sees the exact text: that is the stronger question, and they are there.
    const verdict = await policy.judge(call, { ...context, attended: true });
    return verdict.kind === "ask" ? { kind: "allow", rule: "readers" } : verdict;
  };
  const judgeShared = async (call: ToolCallPart, context: JudgeContext, write: SharedWrite): Promise<Verdict> => {
    const { state, attended } = context;
    const others = withheld(needs(state), HOUSEHOLD, people);
    if (!isOwn(others, state, attended, isAlone)) return refused(others, askerOf(state));
    const verdict = await policy.judge(call, context);
    return verdict.kind === "deny" || (await isSaid(write, state)) ? verdict : unsaid(askerOf(state));
  };
  return judgedBy(policy, (call, context) => {
    const { state } = context;
    const others =
      isWrite(call) && isCommon(state, people) ? withheld(state.label.readers ?? [], HOUSEHOLD, people) : [];
    if (others.length > 0) return refused(others, askerOf(state));
    const write = shared && !isAlone() ? sharedWrite(call, context.state, shared) : undefined;
    if (write !== undefined) return judgeShared(call, context, write);
    const asked = telling(call, context);
    return asked === undefined ? policy.judge(call, context) : judge(call, context, asked);
  });
}

/** Whether the files of a conversation lie in the folder of an agent that others work with too. */
function isCommon({ audience = OWNER, bound }: SessionState, { room }: Pick<PeopleOptions, "room">): boolean {
  return bound !== undefined && bound.agent !== MAIN && room(audience, bound.agent).isShared === true;
}

/** A text that can be shown as a whole. A job is refused when it is made; a question for somebody is no text for them yet. */
function isReleased({ name, input }: ToolCallPart): boolean {
  const media = isRecord(input) ? input["media"] : undefined;
  return name === "message" && (media === undefined || (Array.isArray(media) && media.length === 0));
}

/** Where a call puts words for others to read. Undefined: they stay where it was made. */
function toldTo(
  { name, input }: ToolCallPart,
  { origin }: JudgeContext,
  people: Pick<PeopleOptions, "persons">,
): Address | { readonly person: PersonId } | undefined {
  if (!isRecord(input)) return undefined;
  if (name === "cron") return input["action"] === "add" ? origin : undefined;
  if (name === "ask_person") {
    const person = personNamed(String(input["person"]), people);
    return person === undefined ? undefined : { person };
  }
  return name === "message" ? messageTo(input, origin) : undefined;
}

/** Nothing of it is anybody's but of who asks for it, and who is there: the table of classes decides. */
function isOwn(
  others: readonly Readers[],
  state: SessionState,
  attended: boolean,
  isAlone: PeopleOptions["isAlone"],
): boolean {
  if (others.length === 0) return true;
  const asker = askerOf(state);
  if (asker === undefined || others.some(({ by }) => by !== asker)) return false;
  // Also where nobody could approve something, a person may have asked for it.
  return attended || state.unasked !== true || isAlone();
}

/** Whose conversation it is; undefined in that of a guest or a group, in which nobody speaks for the owner. */
function askerOf({ audience, origin }: SessionState): PersonId | undefined {
  return audience === undefined || isPerson(audience) ? personOf(readerAt(audience, origin)) : undefined;
}

/** The words are for the model, who tells what is to be done. @param asker is named only where nobody else is. */
function refused(others: readonly Readers[], asker: PersonId | undefined): Verdict {
  const all = [...new Set(others.map(({ by }) => by))].toSorted();
  const foreign = all.filter((by) => by !== asker);
  const names = (foreign.length > 0 ? foreign : all).join(", ");
  const next =
    foreign.length > 0
      ? "its owner must do it; other things go out again when /new has emptied this conversation"
      : "its owner must do it, in a chat, by asking for it there";
  return {
    kind: "deny",
    rule: "readers",
    reason: `not sent: this conversation holds what belongs to ${names} and is not for who reads there; ${next}`,
  };
}

/** The same policy with another answer for calls. */
function judgedBy(policy: Policy, judge: Policy["judge"]): Policy {
  const { covered, questionMs, remember } = policy;
  return {
    admit: policy.admit.bind(policy),
    judge,
    ...(covered !== undefined && { covered: covered.bind(policy) }),
    ...(questionMs !== undefined && { questionMs: questionMs.bind(policy) }),
    ...(remember !== undefined && { remember: remember.bind(policy) }),
  };
}
