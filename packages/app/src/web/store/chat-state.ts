/** What a page holds of one session, and how its view becomes what is drawn. */
import type { Item, SessionView } from "@margay/core/state";
import { inDisplayOrder, type ApprovalView, type ItemOf, type TurnView } from "@margay/core/internal/state";
import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { OutgoingPart, SessionDetail, StopResult } from "../wire.ts";
import type { Live } from "./live.ts";
import type { Begins, Deliver, Outgoing, SendMode } from "./outgoing.ts";

export type ChatState =
  | { readonly status: "new" }
  | { readonly status: "loading" }
  | { readonly status: "ready" }
  | { readonly status: "failed"; readonly error: unknown };

/** What a stop took with it; its messages can be put back as a draft. */
export interface Stopped {
  readonly result: StopResult;
  readonly at: number;
}

/** Items that follow one another, with more before and after them. */
export interface Part {
  readonly items: readonly Item[];
  /** There are older ones. */
  readonly more: boolean;
}

/** What of a chat is drawn. */
export interface ChatSignals {
  readonly id: Signal<string | undefined>;
  readonly state: Signal<ChatState>;
  readonly detail: Signal<SessionDetail | undefined>;
  /** The newest, as they are drawn: oldest first. */
  readonly items: Signal<readonly Item[]>;
  /** A part far above those, which was jumped to; what lies between is not loaded. */
  readonly part: Signal<Part | undefined>;
  readonly turn: Signal<TurnView | undefined>;
  readonly approvals: Signal<readonly ApprovalView[]>;
  readonly pending: Signal<readonly ItemOf<"user">[]>;
  readonly stopping: Signal<boolean>;
  readonly stopped: Signal<Stopped | undefined>;
  readonly more: Signal<boolean>;
}

type Readable<Signals> = {
  readonly [Name in keyof Signals]: Signals[Name] extends Signal<infer Value> ? ReadonlySignal<Value> : never;
};

export interface Chat extends Readable<ChatSignals> {
  /** What it becomes when it has no session yet. */
  readonly begins: Begins;
  readonly outgoing: ReadonlySignal<readonly Outgoing[]>;
  /** In a conversation of a chat app: where answers to what is sent from now on go. */
  readonly deliver: Signal<Deliver>;
  readonly live: Live;
  /** Of an item on screen: the one its live form had, so that its nodes stay. */
  keyOf(item: Item): string;
  send(parts: readonly OutgoingPart[], options?: { readonly mode?: SendMode }): void;
  /** What was sent and not confirmed: again, with the same keys. */
  repeat(): void;
  resend(key: string): void;
  discard(key: string): void;
  withdraw(messageId: string): Promise<void>;
  stop(): Promise<void>;
  forgetStopped(): void;
  loadOlder(): Promise<void>;
  /** Holds the newest items only when they have become many; the others are loaded again as `loadOlder` asks for them. */
  forgetOlder(): void;
  /** What is on screen: the part that was jumped to, else the newest. */
  drawn(): readonly Item[];
  /** There are older ones than those. */
  hasOlder(): boolean;
  /** Of a part: those after it. When it reaches the newest it is one with them. */
  loadNewer(): Promise<void>;
  /** From a part back to the newest. */
  leavePart(): void;
  /** Has the item drawn, alone with what stands around it when it lies far above. @returns whether there is one. */
  reveal(item: string): Promise<boolean>;
  /** Has the first items drawn. */
  revealFirst(): Promise<void>;
  /** Loads what there is, to the first item. */
  loadAll(): Promise<void>;
  refreshDetail(): Promise<void>;
  setDetail(detail: SessionDetail): void;
  /** Subscribed while somebody looks at it. */
  open(): () => void;
}

/** The signals of a chat, and what is behind them. */
export interface ChatStore extends ChatSignals {
  readonly live: Live;
  view: SessionView | undefined;
  /** Before those of the view, loaded as somebody scrolls up. */
  older: readonly Item[];
  /** A page of older ones that is on its way. */
  loading: Promise<void> | undefined;
  watchers: number;
  /** Ends what is listened to. */
  leave: (() => void) | undefined;
}

export function chatSignals(first: string | undefined): ChatSignals {
  return {
    id: signal(first),
    state: signal<ChatState>(first === undefined ? { status: "new" } : { status: "loading" }),
    detail: signal(undefined),
    items: signal([]),
    part: signal(undefined),
    turn: signal(undefined),
    approvals: signal([]),
    pending: signal([]),
    stopping: signal(false),
    stopped: signal(undefined),
    more: signal(false),
  };
}

/** @param confirm Told the keys of the messages that the session holds. */
export function show(store: ChatStore, confirm: (keys: ReadonlySet<string>) => void): void {
  const { view, older } = store;
  if (view === undefined) return;
  const confirmed = new Set(view.items.flatMap((item) => (item.kind === "user" ? [item.key] : [])));
  batch(() => {
    store.items.value = inDisplayOrder([...older, ...view.items]);
    store.turn.value = view.turn;
    store.approvals.value = view.approvals;
    store.pending.value = view.pending;
    confirm(confirmed);
    if (view.turn === undefined) store.stopping.value = false;
  });
}
