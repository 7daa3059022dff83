/** One session as this page holds it: the fold of its commits, older pages, live deltas, and what was sent but not confirmed. */
import { createView, type Item, type SessionView } from "@margay/core/state";
import { inDisplayOrder, type ApprovalView, type ItemOf, type TurnView } from "@margay/core/internal/state";
import type { SessionId } from "@margay/core/internal/state";
import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { api } from "../api.ts";
import type { OutgoingPart, Page, ServerFrame, SessionDetail, StopResult } from "../wire.ts";
import { link } from "./link.ts";
import { createLive, type Live } from "./live.ts";
import { createOutbox, type Deliver, type Outgoing, type SendMode } from "./outgoing.ts";

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

export interface Chat {
  readonly id: ReadonlySignal<string | undefined>;
  readonly state: ReadonlySignal<ChatState>;
  readonly detail: ReadonlySignal<SessionDetail | undefined>;
  /** As they are drawn: oldest first. */
  readonly items: ReadonlySignal<readonly Item[]>;
  readonly turn: ReadonlySignal<TurnView | undefined>;
  readonly approvals: ReadonlySignal<readonly ApprovalView[]>;
  readonly pending: ReadonlySignal<readonly ItemOf<"user">[]>;
  readonly outgoing: ReadonlySignal<readonly Outgoing[]>;
  readonly stopping: ReadonlySignal<boolean>;
  readonly stopped: ReadonlySignal<Stopped | undefined>;
  readonly more: ReadonlySignal<boolean>;
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
  /** Loads until the item is there. @returns whether it is. */
  reveal(item: string): Promise<boolean>;
  /** Loads what there is, to the first item. */
  loadAll(): Promise<void>;
  refreshDetail(): Promise<void>;
  setDetail(detail: SessionDetail): void;
  /** Subscribed while somebody looks at it. */
  open(): () => void;
}

const PAGE = 50;
/** When much is wanted at once: what the gateway gives at most. */
const LARGE_PAGE = 200;
/** More than a page shows in a day of talking; a tab that stays open for weeks holds no more. */
const MOST_ITEMS = 600;
const KEPT_ITEMS = 300;

/** @param onCreated called once when a new chat got its session. */
export function createChat(first: string | undefined, onCreated: (chat: Chat, id: string) => void): Chat {
  const id = signal(first);
  const state = signal<ChatState>(first === undefined ? { status: "new" } : { status: "loading" });
  const detail = signal<SessionDetail | undefined>(undefined);
  const items = signal<readonly Item[]>([]);
  const turn = signal<TurnView | undefined>(undefined);
  const approvals = signal<readonly ApprovalView[]>([]);
  const pending = signal<readonly ItemOf<"user">[]>([]);
  const { outgoing, confirm, repeat, send, resend, discard } = createOutbox({
    session: () => id.value,
    created: (session) => {
      id.value = session;
      state.value = { status: "loading" };
      onCreated(chat, session);
      if (watchers > 0) resubscribe();
    },
  });
  const stopping = signal(false);
  const stopped = signal<Stopped | undefined>(undefined);
  const more = signal(false);
  const deliver = signal<Deliver>("web");
  const live = createLive();
  let view: SessionView | undefined;
  let older: readonly Item[] = [];
  let watchers = 0;
  let leave: (() => void) | undefined;
  let loading: Promise<void> | undefined;

  const show = (): void => {
    if (view === undefined) return;
    const confirmed = new Set(view.items.flatMap((item) => (item.kind === "user" ? [item.key] : [])));
    batch(() => {
      items.value = inDisplayOrder([...older, ...(view?.items ?? [])]);
      turn.value = view?.turn;
      approvals.value = view?.approvals ?? [];
      pending.value = view?.pending ?? [];
      confirm(confirmed);
      if (view?.turn === undefined) stopping.value = false;
    });
  };

  const onFrame = (frame: ServerFrame): void => {
    if (!("session" in frame) || frame.session !== id.value) return;
    switch (frame.type) {
      case "snapshot": {
        const from = {
          seq: frame.seq as never,
          items: frame.items,
          ...(frame.detail.turn && { turn: frame.detail.turn }),
        };
        view = createView(frame.session as SessionId, from);
        older = [];
        batch(() => {
          live.reset();
          detail.value = frame.detail;
          more.value = frame.more;
          state.value = { status: "ready" };
          show();
        });
        return;
      }
      case "commit": {
        if (view === undefined) return;
        if (frame.seq > view.seq + 1) return resubscribe(); // a hole: ask again from where we are
        const running = view.turn;
        const changed = view.apply({ seq: frame.seq as never, at: frame.at, records: frame.records });
        batch(() => {
          live.commit(frame, changed, running?.id ?? view?.turn?.id);
          show();
        });
        if (frame.records.some(({ type }) => type === "turn.ended" || type === "session.configured"))
          void refreshDetail();
        return;
      }
      case "partial":
        return live.partial(frame);
      case "live":
        return live.events(frame.turn, frame.events);
    }
  };

  const subscription = (): Readonly<Record<string, unknown>> => ({
    session: id.value,
    live: document.visibilityState === "visible",
    ...(view !== undefined && { after: view.seq }),
  });
  const resubscribe = (): void => {
    leave?.();
    listen();
  };
  const listen = (): void => {
    const stopListening = link().listen((frame) => {
      if (frame.type === "welcome") repeat();
      onFrame(frame);
    });
    const unsubscribe = id.value === undefined ? undefined : link().subscribe(subscription);
    const visibility = (): void => {
      if (id.value !== undefined)
        void link()
          .command("live.set", { session: id.value, live: document.visibilityState === "visible" })
          .catch(() => undefined); // the line is down: the next subscribe says it
    };
    document.addEventListener("visibilitychange", visibility);
    leave = () => {
      stopListening();
      unsubscribe?.();
      document.removeEventListener("visibilitychange", visibility);
      leave = undefined;
    };
  };

  const refreshDetail = async (): Promise<void> => {
    if (id.value === undefined) return;
    try {
      detail.value = (await api.get<SessionDetail>(`/sessions/${id.value}`)).body;
    } catch {
      // what is shown stays; the line says when it is down
    }
  };

  const loadOlder = (limit = PAGE): Promise<void> => {
    loading ??= page(limit).finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const page = async (limit: number): Promise<void> => {
    const oldest = older[0] ?? view?.items[0];
    if (id.value === undefined || oldest === undefined || !more.value) return;
    const query = { before: oldest.id, limit };
    const { body } = await api.get<Page<Item>>(`/sessions/${id.value}/messages`, { query });
    older = [...body.items, ...older];
    batch(() => {
      more.value = (body.prev ?? null) !== null;
      show();
    });
  };

  const chat: Chat = {
    id,
    state,
    detail,
    items,
    turn,
    approvals,
    pending,
    outgoing,
    stopping,
    stopped,
    more,
    deliver,
    live,
    keyOf: (item) => live.keyOf(item),
    send: (parts, { mode } = {}) =>
      batch(() => {
        stopped.value = undefined;
        send(parts, {
          ...(mode !== undefined && { mode }),
          ...(deliver.value === "channel" && { deliver: "channel" }),
        });
      }),
    repeat,
    resend,
    discard,
    withdraw: async (messageId) => {
      await link().command("message.withdraw", { session: id.value, messageId });
    },
    stop: async () => {
      if (id.value === undefined || stopping.value) return;
      stopping.value = true;
      try {
        const result = await link().command<StopResult>("turn.stop", { session: id.value, discardWaiting: true });
        stopped.value = { result, at: Date.now() };
        if (result.turn === null) stopping.value = false;
      } catch (error) {
        stopping.value = false;
        throw error;
      }
    },
    forgetStopped: () => {
      stopped.value = undefined;
    },
    loadOlder: () => loadOlder(),
    forgetOlder: () => {
      if (view === undefined || loading !== undefined || items.value.length <= MOST_ITEMS) return;
      view = createView(view.session, view.snapshot(KEPT_ITEMS));
      older = older.slice(Math.max(0, older.length + view.items.length - KEPT_ITEMS));
      live.keepKeys([...older, ...view.items]);
      batch(() => {
        more.value = true;
        show();
      });
    },
    reveal: async (item) => {
      const known = (): boolean => items.value.some((one) => one.id === item);
      while (!known() && more.value) await loadOlder(LARGE_PAGE);
      return known();
    },
    loadAll: async () => {
      while (more.value) await loadOlder(LARGE_PAGE);
    },
    refreshDetail,
    setDetail: (next) => {
      detail.value = next;
    },
    open: () => {
      watchers += 1;
      if (watchers === 1) {
        listen();
        repeat();
      }
      return () => {
        watchers -= 1;
        if (watchers === 0) leave?.();
      };
    },
  };
  return chat;
}
