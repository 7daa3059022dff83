/** What the chat shows: the view of its session, what is said right now, and notes of its own between them. */
import { shownText } from "@margay/core/internal";
import type { Commit, ErrorInfo, Json } from "@margay/core";
import { createView, type Item, type SessionView } from "@margay/core/state";
import type { CallId, LiveEvent, Millis, SessionId } from "@margay/core/internal";
import { callsOf, inDisplayOrder, seqOf, type ApprovalView, type ItemOf } from "@margay/core/internal/state";
import { createOverlay, type Overlay } from "../live/overlay.ts";
import type { WaitingMessage } from "./layout/queue.ts";
import { isRunning, rowsOf, type Note, type Row } from "./rows.ts";

export interface PendingApproval {
  readonly call: CallId;
  readonly name: string;
  readonly input: Json;
  readonly prompt: string;
  /** What made it ask, and in the policy's words. */
  readonly rule: string;
  readonly why: string;
  /** What could go wrong, as codes. */
  readonly risk: readonly string[];
  /** Where a command starts. */
  readonly cwd?: string;
  readonly hash: string;
  readonly expiresAt: Millis;
  /** The call runs meanwhile, and what it asked outlives it. */
  readonly during?: true;
  /** What a yes can be remembered for. */
  readonly grant?: { readonly shown: string; readonly always?: true };
}

/** What is drawn, at one moment. */
export interface Shown {
  readonly rows: readonly Row[];
  /** Accepted, not yet before the model. */
  readonly waiting: readonly WaitingMessage[];
  readonly approvals: readonly PendingApproval[];
  readonly turn?: {
    readonly doing: "asking" | "thinking" | "writing" | "tools" | "retrying" | "waiting";
    /** Since when it is at that, or the turn runs. */
    readonly since: Millis;
    readonly error?: ErrorInfo;
    /** The call that runs. */
    readonly tool?: string;
  };
  /** The last turn ended like that, and nothing came after it. */
  readonly failed?: Failed;
  /** Input tokens of the last response: how full the context is. */
  readonly contextTokens: number;
}

export interface Failed {
  /** Of the end of that turn. */
  readonly id: string;
  readonly reason: "failed" | "budget";
  readonly code?: string;
}

export interface Conversation {
  readonly view: SessionView;
  readonly shown: Shown;
  commit(commit: Commit): void;
  live(event: LiveEvent): void;
  /** Adds a line of our own, or a reply that came from elsewhere. `key`: of the message that takes its place. */
  note(note: Note, key?: string): void;
}

export const NOTHING: Shown = { rows: [], waiting: [], approvals: [], contextTokens: 0 };

/** Older ones leave the screen; the journal keeps them. */
const MAX_ITEMS = 500;

type Phase = "asking" | "thinking" | "writing" | "waiting";

/** What a conversation is made of. */
interface Parts {
  readonly view: SessionView;
  readonly overlay: Overlay;
  /** With the commit that stood above each. */
  readonly notes: readonly { readonly after: number; readonly note: Note; readonly key: string | undefined }[];
  /** What the answer under way is at. */
  readonly phase: Phase;
  /** Items never change in place: each is read once. */
  readonly known: WeakMap<Item, readonly Row[]>;
}

export function createConversation(session: SessionId): Conversation {
  let view = createView(session);
  const overlay = createOverlay();
  const known = new WeakMap<Item, readonly Row[]>();
  let notes: Parts["notes"] = [];
  let phase: Phase = "asking";
  return {
    get view() {
      return view;
    },
    get shown() {
      return shownOf({ view, overlay, notes, phase, known });
    },
    commit: (commit) => {
      phase = "asking";
      for (const record of commit.records) overlay.settle(record);
      view.apply(commit);
      // What left the screen is not held.
      if (view.items.length > 2 * MAX_ITEMS) view = createView(session, view.snapshot(MAX_ITEMS));
    },
    live: (event) => {
      phase = phaseAfter(phase, event);
      overlay.live(event);
    },
    note: (note, key) => {
      notes = [...notes, { after: view.seq, note, key }].slice(-MAX_ITEMS);
    },
  };
}

/** Whether the person can already read this reply. */
export function isShown({ view }: Conversation, reply: string, text: string): boolean {
  const isSame = (other: string): boolean => other.trim() === text.trim();
  return view.items.some((item) => {
    if (item.kind === "turn-end") return reply === `${item.turn ?? ""}:reply`;
    if (item.kind === "notice") return item.notice === "command" && isSame(item.text);
    return item.kind === "assistant" && item.parts.some((part) => part.type === "text" && isSame(part.text));
  });
}

function phaseAfter(before: Phase, event: LiveEvent): Phase {
  switch (event.type) {
    case "text.delta":
      return "writing";
    case "thinking.delta":
      return "thinking";
    case "model.waiting": // why it waits says more than that it does
      return before === "writing" ? before : "waiting";
    case "tool-call.delta":
    case "tool.progress":
    case "text.restarted":
      return before;
  }
}

function shownOf(parts: Parts): Shown {
  const { view } = parts;
  // After /new there was none.
  const last = view.items.findLast(
    (item) => item.kind === "cleared" || (item.kind === "assistant" && item.usage.input > 0),
  );
  const waiting = view.pending.filter((item) => waits(item, view));
  return {
    rows: rowsIn(parts, new Set<Item>(waiting)).slice(-MAX_ITEMS),
    waiting: waiting.map(waitingOf),
    approvals: view.turn === undefined ? [] : view.approvals.map(approvalOf), // with the turn its questions are over
    ...(view.turn !== undefined && { turn: turnOf(parts, view.turn) }),
    ...failedOf(view),
    contextTokens: last?.kind === "assistant" ? last.usage.input + last.usage.output : 0,
  };
}

function waitingOf({ messageId, parts, mode }: ItemOf<"user">): WaitingMessage {
  return { id: messageId, text: shownText(parts), mode };
}

function failedOf({ items, turn }: SessionView): { readonly failed?: Failed } {
  const last = items.findLast(({ kind }) => kind !== "delivery");
  if (turn !== undefined || last?.kind !== "turn-end") return {};
  const { id, reason, error } = last;
  if (reason !== "failed" && reason !== "budget") return {};
  return { failed: { id, reason, ...(error !== undefined && { code: error.code }) } };
}

/** Nothing ran when it came: it is taken up at once, and a flash of "waiting" would only be noise. */
function waits({ at }: Item, { turn }: SessionView): boolean {
  return turn !== undefined && at > turn.startedAt;
}

function rowsIn(parts: Parts, waiting: ReadonlySet<Item>): readonly Row[] {
  const { view, overlay, notes } = parts;
  const { from, items } = sinceClear(view.items.slice(-MAX_ITEMS));
  const taken = new Set(items.map((item) => (item.kind === "user" ? item.key : undefined)));
  const due = notes.filter(({ after, key }) => after >= from && (key === undefined || !taken.has(key)));
  const rows: Row[] = [];
  let next = 0;
  for (const item of inDisplayOrder(items.filter((one) => !isClearing(one, from)))) {
    for (let one = due[next]; one !== undefined && one.after < placeOf(item); one = due[next]) {
      rows.push(one.note);
      next += 1;
    }
    if (!waiting.has(item)) rows.push(...itemRows(item, parts));
  }
  rows.push(...due.slice(next).map(({ note }) => note));
  for (const { kind, text } of overlay.partial?.parts ?? [])
    rows.push(kind === "text" ? { kind: "assistant", text, live: true, cut: false } : { kind, text, live: true });
  return rows;
}

/** After /new the screen is empty. */
function sinceClear(items: readonly Item[]): { readonly from: number; readonly items: readonly Item[] } {
  const at = items.findLastIndex(({ kind }) => kind === "cleared");
  const cleared = items[at];
  return cleared === undefined ? { from: 0, items } : { from: seqOf(cleared), items: items.slice(at + 1) };
}

/** The command that emptied it: its answer says so. */
function isClearing(item: Item, from: number): boolean {
  return item.kind === "user" && item.command === true && seqOf(item) === from;
}

function placeOf(item: Item): number {
  if (item.kind !== "user" || item.command === true) return seqOf(item);
  return item.placedAt ?? (item.state === "pending" ? Number.POSITIVE_INFINITY : seqOf(item));
}

function itemRows(item: Item, { view, overlay, known }: Parts): readonly Row[] {
  const read = (): readonly Row[] => {
    const printed = overlay.partial?.calls;
    const output = (call: CallId): string => printed?.find((one) => one.call === call)?.output ?? "";
    return rowsOf(item, { output, items: view.items });
  };
  if (item.kind === "assistant" && callsOf(item).some(({ status }) => status === "running")) return read();
  const rows = known.get(item) ?? read();
  known.set(item, rows);
  return rows;
}

function turnOf({ view, phase }: Parts, turn: NonNullable<SessionView["turn"]>): NonNullable<Shown["turn"]> {
  const { doing, step, error } = turn;
  const answer = view.items.findLast((item) => item.kind === "assistant" && item.turn === turn.id);
  const tool = answer?.kind === "assistant" ? callsOf(answer).findLast(isRunning)?.name : undefined;
  const since = turn.requestedAt ?? turn.startedAt;
  const known = { since, ...(error !== undefined && { error }), ...(tool !== undefined && { tool }) };
  if (doing === "request") return { doing: phase, ...known };
  if (doing === "sleep" && error !== undefined) return { doing: "retrying", ...known };
  return { doing: step === 0 || error !== undefined ? "asking" : "tools", ...known };
}

function approvalOf(approval: ApprovalView): PendingApproval {
  const { call, tool, input, display, rule, why, risk, cwd, hash, expiresAt, during, rulePreview, choices } = approval;
  return {
    ...{ call, name: tool, input, prompt: display === "" ? why : display, rule, why, risk, hash, expiresAt },
    ...(cwd !== undefined && { cwd }),
    ...(during !== undefined && { during }),
    ...(rulePreview !== undefined && {
      grant: { shown: rulePreview, ...(choices.includes("always") && { always: true as const }) },
    }),
  };
}

/** What the person typed before, for the keys that bring it back. */
export function typedBefore({ view }: Conversation): readonly string[] {
  return view.items
    .filter((item): item is ItemOf<"user"> => item.kind === "user" && item.command !== true)
    .filter(({ from }) => from.kind === "person")
    .map(({ parts }) => shownText(parts));
}
