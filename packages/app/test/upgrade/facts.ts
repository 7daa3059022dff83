/** What a home says when it rests: of each conversation what was asked, done and answered, without ids and times. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Commit, JournalRecord } from "@margay/core";
import { explain, openJournalDirectory } from "@margay/core/internal";
import { DEFAULT_SETTINGS } from "@margay/core/internal/testing";
import { emptyState, fold, type SessionState } from "@margay/core/internal/state";
import { idIn } from "../durability/errands.ts";
import type { House } from "./house.ts";

interface Call {
  readonly name: string;
  /** Of its errand. */
  readonly id: string;
  readonly status: string;
}

export interface Conversation {
  /** The name of its file. */
  readonly session: string;
  /** The last that its journal says. */
  readonly version: number;
  /** How often each key was received. */
  readonly received: readonly string[];
  /** The errands that its replies answer, in order. */
  readonly answers: readonly string[];
  readonly calls: readonly Call[];
  /** How its turns ended. */
  readonly ends: readonly string[];
  /** What is not done; empty: it rests. */
  readonly open: readonly string[];
  /** Why its prompt began anew. */
  readonly epochs: readonly string[];
  /** Commits whose prompt this release would not have sent. */
  readonly others: readonly number[];
}

/** By session, and those that are new by what was said in them first. */
export type Facts = ReadonlyMap<string, Conversation>;

export async function factsOf(
  house: House,
  old: ReadonlySet<string>,
  among: (session: string) => boolean = () => true,
): Promise<Facts> {
  const folder = join(house.home, "sessions");
  const journals = openJournalDirectory(folder);
  const facts = new Map<string, Conversation>();
  for (const id of (await journals.list()).filter(among)) {
    const commits: Commit[] = [];
    for await (const commit of journals.read(id)) commits.push(commit);
    const [first] = recordsOf(commits, "message.received");
    facts.set(
      old.has(id) ? id : `new: ${first === undefined ? id : textOf(first.message.parts)}`,
      await told(id, commits),
    );
  }
  return facts;
}

async function told(session: Conversation["session"], commits: readonly Commit[]): Promise<Conversation> {
  const inputs = new Map<string, string>();
  for (const { message } of recordsOf(commits, "model.responded"))
    for (const part of message.parts)
      if (part.type === "tool-call") inputs.set(part.callId, JSON.stringify(part.input));
  const state = commits.reduce(fold, emptyState(session as never)); // named by margay
  return {
    session,
    version: [...recordsOf(commits, "session.opened"), ...recordsOf(commits, "journal.raised")].reduce(
      (most, { version }) => Math.max(most, version),
      0,
    ),
    received: recordsOf(commits, "message.received").map(({ key }) => key),
    answers: recordsOf(commits, "reply.queued").flatMap(({ kind, parts }) =>
      kind === "reply" ? [...textOf(parts).matchAll(/(?:Answer|Noted) (\w+)\./g)].map(([, id = ""]) => id) : [],
    ),
    calls: recordsOf(commits, "tool.finished").map(({ message: { callId, name, status } }) => ({
      name,
      id: idIn(inputs.get(callId) ?? "") ?? "",
      status,
    })),
    ends: recordsOf(commits, "turn.ended").map(({ reason }) => reason),
    open: openOf(state),
    epochs: recordsOf(commits, "prefix.frozen").map(({ because }) => because),
    others: await unproved(commits),
  };
}

async function unproved(commits: readonly Commit[]): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { commit, promptHashOk } of explain(each(commits), DEFAULT_SETTINGS))
    if (promptHashOk === false) seqs.push(commit.seq);
  return seqs;
}

// oxlint-disable-next-line require-await -- what explains them takes what is read, and these are read
async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** What a person is asked is not open: it waits for them. */
export function openOf({ turn, pending, outbox, archive }: SessionState): readonly string[] {
  const asks = turn?.calls.some(({ status }) => status === "asked") === true;
  return [
    ...(turn === undefined || asks ? [] : [`turn ${turn.id}`]),
    ...(asks ? [] : pending.map(({ message }) => `message ${message.id}`)),
    ...outbox.flatMap(({ reply, held }) => (held === undefined ? [`reply ${reply}`] : [])),
    ...archive.map(() => "a consolidation"),
  ];
}

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

function recordsOf<Type extends JournalRecord["type"]>(commits: readonly Commit[], type: Type): readonly Of<Type>[] {
  return commits.flatMap(({ records }) => records.filter((record): record is Of<Type> => record.type === type));
}

export function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Promises that were broken: against what was there before, and against a life that nothing disturbed. */
export function broken(house: House, facts: Facts, before: Lines, wanted?: Facts): readonly string[] {
  return [...lost(house, before), ...twice(house, facts), ...(wanted === undefined ? [] : others(wanted, facts))];
}

/** The whole lines of each journal. */
export type Lines = ReadonlyMap<string, readonly string[]>;

export function linesOf(folder: string): Lines {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".journal")) : [];
  return new Map(
    names.map((name) => [
      name.slice(0, -".journal".length),
      readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1),
    ]),
  );
}

/** The last version that a journal says. */
export function versionOf(lines: readonly string[]): number {
  const said = [...lines.join("\n").matchAll(/"type":"(?:session\.opened|journal\.raised)","version":(\d+)/g)];
  return Math.max(0, ...said.map(([, version]) => Number(version)));
}

export function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

export function lost(house: House, before: Lines): readonly string[] {
  const after = linesOf(join(house.home, "sessions"));
  return [...before].flatMap(([session, lines]) => {
    const now = after.get(session);
    if (now === undefined) return [`${session} is gone`];
    const at = lines.findIndex((line, index) => line !== now[index]);
    return at < 0 ? [] : [`${session}: line ${at + 1} of ${lines.length} is not what it was`];
  });
}

function twice(house: House, facts: Facts): readonly string[] {
  const found: string[] = [];
  const ran = counted(house.ran());
  for (const [id, times] of ran) if (times > 1) found.push(`${id} was done ${times} times`);
  const texts = new Map(house.delivered.map(({ reply, text }) => [reply, text])); // each key once
  const left = [...texts.values()].flatMap((text) => [...text.matchAll(/Answer (\w+)\./g)].map(([, id = ""]) => id));
  for (const [id, times] of counted(left)) if (times > 1) found.push(`${id} left ${times} times`);
  for (const [name, { received, answers, open, calls, ends, others: prompts }] of facts) {
    for (const [what, list] of Object.entries({ received, answered: answers }))
      for (const [id, times] of counted(list)) if (times > 1) found.push(`${name}: ${id} was ${what} ${times} times`);
    for (const seq of prompts) found.push(`${name}: this release would have sent another prompt at ${seq}`);
    for (const each of open) found.push(`${name}: not done: ${each}`);
    for (const end of ends) if (end !== "done") found.push(`${name}: a turn ended ${end}`);
    for (const { id, status } of calls)
      if (status === "error" || status === "denied") found.push(`${name}: a call of ${id} is ${status}`);
  }
  return [...found, ...violationsOf(house)];
}

/**
 * The model of this life has not seen the lives before it, and another release has other tools, which begins an epoch: of these
 * the journals say how many there were, and `explain` that each request went on from the one before.
 */
export function violationsOf(house: House): readonly string[] {
  const ofEpochs = /continues no conversation this server has seen|does not start with the one before/;
  return house.model().violations.filter((each) => !ofEpochs.test(each));
}

/** A call that a kill cut apart may say that it may have taken effect; all else is equal. */
function others(wanted: Facts, facts: Facts): readonly string[] {
  const found: string[] = [];
  for (const name of new Set([...wanted.keys(), ...facts.keys()])) {
    const [one, other] = [wanted.get(name), facts.get(name)];
    if (one === undefined || other === undefined) {
      found.push(`${name} is ${other === undefined ? "missing" : "too much"}`);
      continue;
    }
    for (const key of ["version", "received", "answers", "ends", "epochs"] as const)
      if (!isDeepStrictEqual(one[key], other[key]))
        found.push(`${name}: ${key} ${JSON.stringify(other[key])} instead of ${JSON.stringify(one[key])}`);
    const calls = other.calls.map((call, index) =>
      call.status === "interrupted" ? { ...call, status: one.calls[index]?.status ?? "none" } : call,
    );
    if (!isDeepStrictEqual(one.calls, calls))
      found.push(`${name}: calls ${JSON.stringify(other.calls)} instead of ${JSON.stringify(one.calls)}`);
  }
  return found;
}

function counted(items: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of items) times.set(item, (times.get(item) ?? 0) + 1);
  return times;
}
