/** Rows become memory: one question, its answer journaled before any file is written, then the files. */
import type { TurnId } from "../contract/base.ts";
import type { Memory } from "../contract/memory.ts";
import type { Label, Message, ModelRef } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { labelOfAll } from "../lib/labels.ts";
import { cutEntry, withSource } from "../lib/source-mark.ts";
import { memoryText } from "./memory-text.ts";
import type { Answer } from "./consolidation-answer.ts";
import { zonedClock } from "../lib/zoned-time.ts";
import { requestAnswer } from "./consolidation-request.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { excerpt } from "./summarize.ts";

export type Answered = Extract<JournalRecord, { type: "memory.answered" }>;
export type MemoryDeps = LoopDeps & { readonly memory: Memory };

/** Which rows: the head of the context, or those of a cleared one. */
export interface Stretch {
  readonly messages: readonly Message[];
  readonly epoch: number;
  /** Messages that leave the context; absent for a cleared one. */
  readonly gone?: number;
  /** Present: they are not its head, and the answer serves this turn alone. */
  readonly turn?: TurnId;
  readonly rows: number;
}

const MAX_HISTORY_CHARS = 8000;
const MAX_APPENDS = 5;

/** Asks, and commits the answer. Whatever the model does, there is an answer: the pointer always moves. */
export async function ask(
  stretch: Stretch,
  session: Session,
  deps: MemoryDeps,
  signal: AbortSignal,
  before?: Answered,
): Promise<Answered> {
  const { memory } = deps;
  const facts = await memory.facts();
  const { answer: given, usage } = await requestAnswer(
    stretch.messages,
    session,
    deps,
    facts,
    modelFor(session, deps),
    signal,
  );
  const clean = given === undefined ? undefined : cleaned(given, deps.workspace, facts);
  const answer = clean && sourced(clean, labelOfAll(stretch.messages), facts);
  const { gone, turn } = stretch;
  const record: Answered = {
    type: "memory.answered",
    epoch: stretch.epoch,
    ...(gone !== undefined && { gone }),
    ...(turn !== undefined && { turn }),
    rows: stretch.rows,
    ...(answer?.memory !== undefined && { memory: answer.memory }),
    ...history(answer, stretch, deps),
    // Asked a second time for MEMORY.md alone: the entry is written already.
    ...(before !== undefined && { history: before.history, at: before.at, fallback: before.fallback }),
    expected: memory.hash(facts),
    usage,
  };
  if (record.fallback) deps.log.warn("consolidation.fallback", { session: session.state.id });
  await session.commit(record);
  return record;
}

function history(
  answer: Answer | undefined,
  { messages }: Stretch,
  deps: MemoryDeps,
): Pick<Answered, "history" | "asLine" | "at" | "fallback"> {
  const at = deps.clock.now();
  // A missing history half is replaced by the raw entry too.
  const raw = (): string => {
    const text = memoryText(excerpt(messages).text, deps.workspace);
    return withSource(text, labelOfAll(messages));
  };
  if (answer === undefined) return { history: raw(), at, fallback: true };
  const said = answer.history ?? (answer.memory === undefined ? "" : raw());
  return {
    history: cutEntry(said, MAX_HISTORY_CHARS),
    ...(answer.prose === true && { asLine: true as const }),
    at,
    fallback: false,
  };
}

/** Whose words a line goes back to nobody can say: all of them count as the stranger's. */
function sourced({ memory, history: entry, ...rest }: Answer, label: Label, facts: string): Answer {
  return {
    ...rest,
    ...(memory !== undefined && { memory: withSource(memory, label, facts) }),
    ...(entry !== undefined && { history: withSource(entry, label) }),
  };
}

function cleaned(answer: Answer, workspace: string, facts: string): Answer {
  const memory = answer.memory === undefined ? "" : memoryText(answer.memory, workspace, facts);
  const entry = answer.history === undefined ? "" : memoryText(answer.history, workspace);
  return {
    ...(memory !== "" && { memory }),
    ...(entry !== "" && { history: entry }),
    ...(answer.prose === true && { prose: true }),
  };
}

/**
 * Writes an answer into the files; done again after a crash it changes nothing more. A MEMORY.md that was edited
 * meanwhile is asked about once more, then left alone.
 */
export async function apply(
  answered: Answered,
  { memory, settings }: MemoryDeps,
  again: (before: Answered) => Promise<Answered | undefined>,
): Promise<void> {
  const entry = answered.history.trim();
  if (entry !== "" && answered.asLine === true) await append(entry, answered.at, memory, settings.timeZone);
  else if (entry !== "") await memory.log(entry, answered.at, settings.timeZone);
  if (answered.memory === undefined || (await rewritten(answered, memory))) return;
  const second = await again(answered);
  if (second !== undefined) await rewritten(second, memory); // edited a third time: only history is written
}

async function rewritten({ memory: text, expected }: Answered, memory: Memory): Promise<boolean> {
  if (text === undefined) return true;
  try {
    await memory.rewrite(text, expected);
    return true;
  } catch (error) {
    if (hasCode(error, "memory.conflict")) return false;
    throw error;
  }
}

/** `{date}|auto-overflow|{text}`, once. */
async function append(entry: string, at: number, memory: Memory, timeZone: string): Promise<void> {
  const { year, month, day } = zonedClock(timeZone)(at);
  const date = [year, ...[month, day].map((part) => String(part).padStart(2, "0"))].join("-");
  const line = `${date}|auto-overflow|${entry.replaceAll(/\s+/g, " ")}`;
  for (let attempt = 0; attempt < MAX_APPENDS; attempt++) {
    const facts = await memory.facts();
    if (facts.split("\n").includes(line)) return;
    const text = facts === "" || facts.endsWith("\n") ? `${facts}${line}\n` : `${facts}\n${line}\n`;
    try {
      await memory.rewrite(text, memory.hash(facts));
      return;
    } catch (error) {
      if (!hasCode(error, "memory.conflict") || attempt === MAX_APPENDS - 1) throw error;
    }
  }
}

/** `memory.model`, else the one of the session. */
function modelFor(session: Session, deps: LoopDeps): ModelRef {
  return deps.settings.memoryModel ?? session.state.model ?? deps.model;
}
