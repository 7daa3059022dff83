/** One line of the list of sessions, kept up to date commit by commit. Small: there may be thousands. */
import type { Audience } from "../contract/people.ts";
import type { CallId, Millis, Seq, SessionId, SessionLimits } from "../contract/base.ts";
import type { Address, ModelRef, Usage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { bySomeKind, type OfKind, type SomeKinds } from "../lib/by-kind.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";
import { isPerson } from "../lib/audience.ts";
import { usageOf } from "../session/spending.ts";

/** The first word of a key; every other channel is `channel`. */
export const SOURCES = [
  "web",
  "cli",
  "channel",
  "api",
  "cron",
  "heartbeat",
  "greeting",
  "hook",
  "subagent",
  "voice",
  "heard",
  "temporary",
] as const;
export type Source = (typeof SOURCES)[number];

/** Nobody talks there: recordings that were written down, and what groups said to each other. */
export function isAside(summary: Pick<Summary, "key">): boolean {
  return ["voice", "heard"].includes(sourceOf(summary));
}

export interface Summary {
  readonly id: SessionId;
  key: string;
  origin: Address;
  /** First line of the first message. */
  title: string;
  /** The last who wrote from outside. */
  peer?: string;
  /** Who reads it, when it is not the owner alone. */
  audience?: Audience;
  /** Persons beside the owner who read it, also earlier. */
  persons?: readonly Audience[];
  /** Who alone read it, from its first word on; null: nobody alone, when others came. Absent: the owner. */
  sole?: Audience | null;
  createdAt: Millis;
  updatedAt: Millis;
  lastSeq: number;
  messages: number;
  running: boolean;
  failed: boolean;
  /** Calls that wait for a person. */
  readonly asked: Set<CallId>;
  /** Those among them that ask while they run. */
  readonly during: Set<CallId>;
  /** Those among them that belong to no turn. */
  releases?: readonly string[];
  /** Whether a call ever waited for one. */
  everAsked: boolean;
  forkedFrom?: { readonly session: SessionId; readonly seq: Seq };
  parent?: { readonly session: SessionId; readonly call: CallId };
  /** Chosen for this session. */
  model?: ModelRef;
  persona?: string;
  /** Absent: the home itself, as it always did. */
  agent?: { readonly name: string; readonly rule: string };
  limits?: SessionLimits;
  /** The last one that was asked. */
  askedModel?: ModelRef;
  /** What was said last. */
  preview: string;
  usage: Usage;
  /** Commits a fork copied: spent by the original. */
  copied: number;
}

const TITLE_CHARS = 60;
const PREVIEW_CHARS = 120;
export function emptySummary(id: SessionId): Summary {
  return {
    id,
    key: "",
    origin: { channel: "", chat: "" },
    title: "",
    createdAt: 0,
    updatedAt: 0,
    lastSeq: 0,
    messages: 0,
    running: false,
    failed: false,
    asked: new Set(),
    during: new Set(),
    everAsked: false,
    preview: "",
    usage: NO_USAGE,
    copied: 0,
  };
}

export function sourceOf({ key }: Pick<Summary, "key">): Source {
  const channel = key.split(":")[0] ?? "";
  return SOURCES.find((source) => source === channel) ?? "channel";
}

/** Changes it. A commit that was taken already changes nothing. */
export function takeCommit(summary: Summary, commit: Commit): void {
  if (commit.seq <= summary.lastSeq) return;
  if (summary.lastSeq === 0) summary.createdAt = commit.at;
  summary.lastSeq = commit.seq;
  summary.updatedAt = commit.at;
  for (const record of commit.records) {
    bySomeKind(RECORDS, record, summary);
    const usage = commit.seq > summary.copied ? usageOf(record) : undefined;
    if (usage !== undefined) summary.usage = addUsage(summary.usage, usage);
  }
}

/** Other kinds change nothing that a line of the list shows. */
const RECORDS: SomeKinds<JournalRecord, [summary: Summary], void> = {
  "session.opened": ({ key, origin, parent, forked }, summary) => {
    Object.assign(summary, { key, origin, ...(parent !== undefined && { parent }) });
    if (forked === undefined) return;
    summary.forkedFrom = { session: forked.from, seq: forked.commits as Seq }; // the last one copied
    summary.copied = forked.commits;
  },
  "audience.set": ({ audience }, summary) => {
    if (audience === "owner") delete summary.audience;
    else summary.audience = audience;
    summary.sole = summary.messages === 0 && summary.sole === undefined ? audience : null;
    if (isPerson(audience)) summary.persons = [...new Set([...(summary.persons ?? []), audience])];
  },
  "agent.bound": ({ agent, rule }, summary) => {
    summary.agent = { name: agent, rule };
  },
  "message.received": ({ message: { parts, from } }, summary) => {
    if (from.name !== undefined) summary.peer = from.name;
    hear(summary, textOf(parts));
  },
  "message.heard": ({ message: { parts } }, summary) => hear(summary, textOf(parts)),
  "voice.transcribed": ({ text }, summary) => {
    hear(summary, text);
    summary.messages -= 1; // its message was counted
  },
  "media.fetched": () => {},
  "message.edited": ({ message: { parts, from } }, summary) => {
    if (from.name !== undefined) summary.peer = from.name;
    hear(summary, textOf(parts));
    summary.messages -= 1; // it was counted when it came
  },
  "messages.withdrawn": ({ ids }, summary) => {
    summary.messages -= ids.length;
  },
  "turn.started": (_record, summary) => {
    summary.running = true;
    summary.failed = false;
  },
  "model.requested": ({ model }, summary) => {
    summary.askedModel = model;
  },
  "model.responded": ({ message }, summary) => {
    const text = textOf(message.parts);
    if (text.trim() !== "") say(summary, text);
  },
  "message.posted": ({ text }, summary) => say(summary, text),
  "history.imported": imported,
  "call.judged": ({ verdict, call }, summary) => {
    if (verdict === "ask") ask(summary, call);
  },
  "call.asked": ({ call }, summary) => {
    ask(summary, call);
    summary.during.add(call);
  },
  "approval.resolved": ({ call }, { asked, during }) => {
    asked.delete(call);
    during.delete(call);
  },
  // Of no turn: it waits for longer than any.
  "release.asked": ({ id }, summary) => {
    summary.releases = [...(summary.releases ?? []), id];
    ask(summary, id as CallId);
  },
  "release.answered": ({ release }, summary) => settled(summary, release),
  "release.closed": ({ release }, summary) => settled(summary, release),
  "tool.finished": ({ message: { callId } }, { asked, during }) => {
    // What it asked while it ran can still be answered, for the next call.
    if (!during.has(callId)) asked.delete(callId);
  },
  "turn.ended": ({ reason }, summary) => {
    summary.running = false;
    summary.failed = reason === "failed";
    summary.asked.clear();
    summary.during.clear();
    for (const release of summary.releases ?? []) summary.asked.add(release as CallId);
  },
  "session.configured": configured,
};

type Of<Type extends JournalRecord["type"]> = OfKind<JournalRecord, Type>;

function imported({ messages }: Of<"history.imported">, summary: Summary): void {
  // It was said when it was said, whenever it came here.
  summary.createdAt = messages.reduce((first, { at }) => Math.min(first, at), summary.createdAt);
  summary.updatedAt = messages.reduce((last, { at }) => Math.max(last, at), 0) || summary.updatedAt;
  for (const row of messages)
    if (row.role === "user") hear(summary, textOf(row.parts));
    else if (row.role === "assistant") say(summary, textOf(row.parts));
}

function configured({ model, persona, limits }: Of<"session.configured">, summary: Summary): void {
  if (model === null) delete summary.model;
  else if (model !== undefined) summary.model = model;
  if (persona === null) delete summary.persona;
  else if (persona !== undefined) summary.persona = persona;
  if (limits === null) delete summary.limits;
  else if (limits !== undefined) summary.limits = limits;
}

function settled(summary: Summary, release: string): void {
  summary.asked.delete(release as CallId);
  const left = (summary.releases ?? []).filter((id) => id !== release);
  if (left.length > 0) summary.releases = left;
  else delete summary.releases;
}

function ask(summary: Summary, call: CallId): void {
  summary.asked.add(call);
  summary.everAsked = true;
}

/** The first gives the session its title. */
function hear(summary: Summary, text: string): void {
  if (summary.title === "") summary.title = cut(firstLine(text), TITLE_CHARS);
  say(summary, text);
}

function say(summary: Summary, text: string): void {
  summary.messages += 1;
  const line = text
    .slice(0, PREVIEW_CHARS * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line !== "") summary.preview = cut(line, PREVIEW_CHARS);
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}

function cut(text: string, chars: number): string {
  const letters = [...text];
  return letters.length <= chars ? text : `${letters.slice(0, chars - 1).join("")}…`;
}
