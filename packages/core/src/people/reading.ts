/** Keeps a text from who may not read it: before a call that tells somebody, in what is said in a chat, and in what waits for it. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Address, Marks, ToolCallPart } from "../contract/message.ts";
import type { Audience, PersonId, Readers } from "../contract/people.ts";
import type { JudgeContext, Policy, Verdict } from "../contract/policy.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { QueuedReply } from "../contract/bus.ts";
import type { SessionState } from "../contract/session.ts";
import { isPerson } from "../lib/audience.ts";
import { isRecord } from "../lib/is-record.ts";
import { marksOf } from "../lib/labels.ts";
import { speaker } from "../lib/texts.ts";
import { HOUSEHOLD, needs, personOf, placed, readerAt, readerOf, withheld } from "./readers.ts";
import { isSaid, type SharedWrite, sharedWrite, unsaid } from "./shared-writes.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export interface ReadingOptions {
  readonly people: Pick<PeopleOptions, "roleOf" | "isIn" | "isAlone" | "audienceAt" | "usualAt" | "shared">;
  readonly language: () => AgentSettings["language"];
}

export interface Reading {
  /** What is said in a chat in place of an answer, or of a reply that waits. Undefined: who reads there may read it. */
  readonly instead: (state: SessionState, reply?: Pick<QueuedReply, "kind" | "marks">) => string | undefined;
  /** Of a text that a conversation puts into another chat. */
  readonly marksFor: (state: SessionState, to: Address) => Promise<Marks>;
  readonly guarded: (policy: Policy) => Policy;
}

const say = speaker(en, zh);

export function createReading({ people, language }: ReadingOptions): Reading {
  const readerThere = async (to: Address): Promise<Audience> => readerAt(await people.audienceAt(to), to);
  return {
    instead: (state, reply) => {
      // A question has what it asks about in its words, and no marks of its own.
      const { readers } = (reply === undefined || reply.kind === "approval" ? state.label : reply.marks) ?? {};
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
    guarded: (policy) =>
      guarded(policy, people, async (state, to) => {
        if (to === HOUSEHOLD) return withheld(needs(state), to, people);
        const { channel, chat } = state.origin;
        const reader = to.channel === channel && to.chat === chat ? readerOf(state) : await readerThere(to);
        return withheld(needs(state), reader, people);
      }),
  };
}

type Kept = (state: SessionState, to: Address | typeof HOUSEHOLD) => Promise<readonly Readers[]>;

/** Before everything else: no rule of the operator's releases what is another's. */
function guarded(policy: Policy, { isAlone, shared }: ReadingOptions["people"], kept: Kept): Policy {
  const { covered, questionMs, remember } = policy;
  const judge = async (call: ToolCallPart, context: JudgeContext, to: Address): Promise<Verdict> => {
    const others = await kept(context.state, to);
    return isOwn(others, context, isAlone) ? policy.judge(call, context) : refused(others, askerOf(context.state));
  };
  const judgeShared = async (call: ToolCallPart, context: JudgeContext, write: SharedWrite): Promise<Verdict> => {
    const others = await kept(context.state, HOUSEHOLD);
    if (!isOwn(others, context, isAlone)) return refused(others, askerOf(context.state));
    const verdict = await policy.judge(call, context);
    return verdict.kind === "deny" || (await isSaid(write, context.state)) ? verdict : unsaid(askerOf(context.state));
  };
  return {
    admit: policy.admit.bind(policy),
    judge: (call, context) => {
      const write = shared && !isAlone() ? sharedWrite(call, context.state, shared) : undefined;
      if (write !== undefined) return judgeShared(call, context, write);
      const to = toldTo(call, context);
      return to === undefined ? policy.judge(call, context) : judge(call, context, to);
    },
    ...(covered !== undefined && { covered: covered.bind(policy) }),
    ...(questionMs !== undefined && { questionMs: questionMs.bind(policy) }),
    ...(remember !== undefined && { remember: remember.bind(policy) }),
  };
}

/** Where a call puts words for others to read. Undefined: they stay where it was made. */
function toldTo({ name, input }: ToolCallPart, { origin }: JudgeContext): Address | undefined {
  if (!isRecord(input)) return undefined;
  if (name === "cron") return input["action"] === "add" ? origin : undefined;
  if (name !== "message") return undefined;
  const { channel = origin.channel, chat_id: chat = origin.chat } = input;
  return { channel: String(channel), chat: String(chat) };
}

/** Nothing of it is anybody's but of who asks for it, and who is there: the table of classes decides. */
function isOwn(
  others: readonly Readers[],
  { state, attended }: JudgeContext,
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
