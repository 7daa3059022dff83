/** One line of the list of sessions, kept up to date commit by commit. Small: there may be thousands. */
import { type Address, type Commit, type JournalRecord } from "@margay/core";
import { addUsage, NO_USAGE, usageOf, type CallId } from "@margay/core/internal";
import type { ModelRef, Usage } from "@margay/core";
import type { Millis, Seq, SessionId, SessionLimits } from "@margay/core/internal";

export type Source =
  | "web"
  | "cli"
  | "channel"
  | "api"
  | "cron"
  | "heartbeat"
  | "greeting"
  | "hook"
  | "subagent"
  | "voice";

export interface Summary {
  readonly id: SessionId;
  key: string;
  origin: Address;
  /** First line of the first message. */
  title: string;
  /** The last who wrote from outside. */
  peer?: string;
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
  /** Whether a call ever waited for one. */
  everAsked: boolean;
  forkedFrom?: { readonly session: SessionId; readonly seq: Seq };
  parent?: { readonly session: SessionId; readonly call: CallId };
  /** Chosen for this session. */
  model?: ModelRef;
  persona?: string;
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
const SOURCES: ReadonlySet<string> = new Set<Source>([
  "web",
  "cli",
  "api",
  "cron",
  "heartbeat",
  "greeting",
  "hook",
  "subagent",
  "voice",
]);

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
  return SOURCES.has(channel) ? (channel as Source) : "channel"; // looked up just before
}

/** Changes it. A commit that was taken already changes nothing. */
export function takeCommit(summary: Summary, commit: Commit): void {
  if (commit.seq <= summary.lastSeq) return;
  if (summary.lastSeq === 0) summary.createdAt = commit.at;
  summary.lastSeq = commit.seq;
  summary.updatedAt = commit.at;
  for (const record of commit.records) {
    take(summary, record);
    const usage = commit.seq > summary.copied ? usageOf(record) : undefined;
    if (usage !== undefined) summary.usage = addUsage(summary.usage, usage);
  }
}

function take(summary: Summary, record: JournalRecord): void {
  switch (record.type) {
    case "session.opened":
      summary.key = record.key;
      summary.origin = record.origin;
      if (record.parent !== undefined) summary.parent = record.parent;
      if (record.forked !== undefined) {
        summary.forkedFrom = { session: record.forked.from, seq: record.forked.commits as Seq }; // the last one copied
        summary.copied = record.forked.commits;
      }
      return;
    case "message.received": {
      const text = textOf(record.message.parts);
      if (summary.title === "") summary.title = cut(firstLine(text), TITLE_CHARS);
      if (record.message.from.name !== undefined) summary.peer = record.message.from.name;
      summary.messages += 1;
      say(summary, text);
      return;
    }
    case "messages.withdrawn":
      summary.messages -= record.ids.length;
      return;
    case "turn.started":
      summary.running = true;
      summary.failed = false;
      return;
    case "model.requested":
      summary.askedModel = record.model;
      return;
    case "model.responded": {
      const text = textOf(record.message.parts);
      if (text.trim() === "") return;
      summary.messages += 1;
      say(summary, text);
      return;
    }
    case "message.posted":
      summary.messages += 1;
      say(summary, record.text);
      return;
    case "history.imported":
      // It was said when it was said, whenever it came here.
      summary.createdAt = record.messages.reduce((first, { at }) => Math.min(first, at), summary.createdAt);
      summary.updatedAt = record.messages.reduce((last, { at }) => Math.max(last, at), 0) || summary.updatedAt;
      for (const row of record.messages) {
        if (row.role !== "user" && row.role !== "assistant") continue;
        const text = textOf(row.parts);
        if (row.role === "user" && summary.title === "") summary.title = cut(firstLine(text), TITLE_CHARS);
        summary.messages += 1;
        say(summary, text);
      }
      return;
    case "call.judged":
      if (record.verdict !== "ask") return;
      summary.asked.add(record.call);
      summary.everAsked = true;
      return;
    case "call.asked":
      summary.asked.add(record.call);
      summary.during.add(record.call);
      summary.everAsked = true;
      return;
    case "approval.resolved":
      summary.asked.delete(record.call);
      summary.during.delete(record.call);
      return;
    case "tool.finished":
      // What it asked while it ran can still be answered, for the next call.
      if (!summary.during.has(record.message.callId)) summary.asked.delete(record.message.callId);
      return;
    case "turn.ended":
      summary.running = false;
      summary.failed = record.reason === "failed";
      summary.asked.clear();
      summary.during.clear();
      return;
    case "session.configured":
      if (record.model === null) delete summary.model;
      else if (record.model !== undefined) summary.model = record.model;
      if (record.persona === null) delete summary.persona;
      else if (record.persona !== undefined) summary.persona = record.persona;
      if (record.limits === null) delete summary.limits;
      else if (record.limits !== undefined) summary.limits = record.limits;
      return;
    default: // changes nothing that a line of the list shows
  }
}

function say(summary: Summary, text: string): void {
  const line = text
    .slice(0, PREVIEW_CHARS * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line !== "") summary.preview = cut(line, PREVIEW_CHARS);
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join(" ");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}

function cut(text: string, chars: number): string {
  const letters = [...text];
  return letters.length <= chars ? text : `${letters.slice(0, chars - 1).join("")}…`;
}
