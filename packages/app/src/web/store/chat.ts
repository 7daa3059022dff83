/** One session as this page holds it: the fold of its commits, older pages, live deltas, and what was sent but not confirmed. */
import { createView } from "@margay/core/state";
import type { SessionId, WireRecord } from "@margay/core/internal/state";
import { batch, signal } from "@preact/signals";
import { api } from "../api.ts";
import type { ServerFrame, SessionDetail, StopResult } from "../wire.ts";
import { chatSignals, show, type Chat, type ChatStore } from "./chat-state.ts";
import { link } from "./link.ts";
import { createLive } from "./live.ts";
import { olderItems } from "./older.ts";
import { createOutbox, type Begins, type Deliver } from "./outgoing.ts";

/** @param onCreated called once when a new chat got its session. @param begins What a new one becomes. */
export function createChat(
  first: string | undefined,
  onCreated: (chat: Chat, id: string) => void,
  begins: Begins = "new",
): Chat {
  const signals = chatSignals(first);
  const { id, state, stopped, detail } = signals;
  const live = createLive();
  const deliver = signal<Deliver>("web");
  const store: ChatStore = {
    ...signals,
    live,
    view: undefined,
    older: [],
    loading: undefined,
    watchers: 0,
    leave: undefined,
  };
  const { outgoing, confirm, repeat, send, resend, discard } = createOutbox({
    session: () => id.value,
    begins,
    created: (session) => {
      id.value = session;
      state.value = { status: "loading" };
      onCreated(chat, session);
      if (store.watchers > 0) resubscribe(store, hears);
    },
  });
  const shown = (): void => show(store, confirm);
  const hears: Hears = {
    frame: (frame) => {
      if (frame.type === "welcome") repeat();
      takeFrame(store, frame, hears);
    },
    shown,
  };
  const chat: Chat = {
    ...signals,
    begins,
    ...olderItems(store, shown),
    live,
    deliver,
    outgoing,
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
    stop: () => stop(store),
    forgetStopped: () => {
      stopped.value = undefined;
    },
    refreshDetail: () => refreshDetail(store),
    setDetail: (next) => {
      detail.value = next;
    },
    open: () => {
      store.watchers += 1;
      if (store.watchers === 1) {
        listen(store, hears);
        repeat();
      }
      return () => {
        store.watchers -= 1;
        if (store.watchers === 0) store.leave?.();
      };
    },
  };
  return chat;
}

interface Hears {
  /** What comes over the line. */
  frame(frame: ServerFrame): void;
  /** Draws what the store holds. */
  shown(): void;
}

function takeFrame(store: ChatStore, frame: ServerFrame, hears: Hears): void {
  const { live, state, detail, more } = store;
  if (!("session" in frame) || frame.session !== store.id.value) return;
  switch (frame.type) {
    case "snapshot": {
      const from = {
        seq: frame.seq as never,
        items: frame.items,
        ...(frame.detail.turn && { turn: frame.detail.turn }),
      };
      store.view = createView(frame.session as SessionId, from);
      store.older = [];
      batch(() => {
        live.reset();
        detail.value = frame.detail;
        more.value = frame.more;
        state.value = { status: "ready" };
        hears.shown();
      });
      return;
    }
    case "commit": {
      const { view } = store;
      if (view === undefined) return;
      if (frame.seq > view.seq + 1) return resubscribe(store, hears); // a hole: ask again from where we are
      const running = view.turn;
      const changed = view.apply({ seq: frame.seq as never, at: frame.at, records: frame.records });
      batch(() => {
        live.commit(frame, changed, running?.id ?? view.turn?.id);
        hears.shown();
      });
      if (frame.records.some(({ type }) => DETAILED.has(type))) void refreshDetail(store);
      return;
    }
    case "partial":
      return live.partial(frame);
    case "live":
      return live.events(frame.turn, frame.events);
  }
}

/** After them the detail of a conversation, its costs and its limits, is another. */
const DETAILED: ReadonlySet<string> = new Set<WireRecord["type"]>(["turn.ended", "session.configured"]);

function resubscribe(store: ChatStore, hears: Hears): void {
  store.leave?.();
  listen(store, hears);
}

function listen(store: ChatStore, hears: Hears): void {
  const { id } = store;
  const isLive = (): boolean => document.visibilityState === "visible";
  const stopListening = link().listen((frame) => hears.frame(frame));
  const subscription = (): Readonly<Record<string, unknown>> => ({
    session: id.value,
    live: isLive(),
    ...(store.view !== undefined && { after: store.view.seq }),
  });
  const unsubscribe =
    id.value === undefined
      ? undefined
      : link().subscribe(subscription, undefined, (error) => {
          store.state.value = { status: "failed", error };
        });
  const visibility = (): void => {
    if (id.value !== undefined)
      void link()
        .command("live.set", { session: id.value, live: isLive() })
        .catch(() => undefined); // the line is down: the next subscribe says it
  };
  document.addEventListener("visibilitychange", visibility);
  store.leave = () => {
    stopListening();
    unsubscribe?.();
    document.removeEventListener("visibilitychange", visibility);
    store.leave = undefined;
  };
}

async function refreshDetail({ id, detail }: ChatStore): Promise<void> {
  if (id.value === undefined) return;
  try {
    detail.value = (await api.get<SessionDetail>(`/sessions/${id.value}`)).body;
  } catch {
    // what is shown stays; the line says when it is down
  }
}

async function stop({ id, stopping, stopped }: ChatStore): Promise<void> {
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
}
