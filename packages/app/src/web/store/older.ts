/** Older items of a chat: loaded in pages as somebody wants them, forgotten when they have become many. */
import { createView, type Item } from "@margay/core/state";
import { batch } from "@preact/signals";
import { api } from "../api.ts";
import type { Page } from "../wire.ts";
import type { Chat, ChatStore } from "./chat-state.ts";

const PAGE = 50;
/** When much is wanted at once: what the gateway gives at most. */
const LARGE_PAGE = 200;
/** More than a page shows in a day of talking; a tab that stays open for weeks holds no more. */
const MOST_ITEMS = 600;
const KEPT_ITEMS = 300;

/** @param shown Draws what the store holds. */
export function olderItems(
  store: ChatStore,
  shown: () => void,
): Pick<Chat, "loadOlder" | "forgetOlder" | "reveal" | "loadAll"> {
  const load = (limit: number): Promise<void> => {
    store.loading ??= loadPage(store, limit, shown).finally(() => {
      store.loading = undefined;
    });
    return store.loading;
  };
  const { items, more, live } = store;
  return {
    loadOlder: () => load(PAGE),
    forgetOlder: () => {
      const { view } = store;
      if (view === undefined || store.loading !== undefined || items.value.length <= MOST_ITEMS) return;
      store.view = createView(view.session, view.snapshot(KEPT_ITEMS));
      store.older = store.older.slice(Math.max(0, store.older.length + store.view.items.length - KEPT_ITEMS));
      live.keepKeys([...store.older, ...store.view.items]);
      batch(() => {
        more.value = true;
        shown();
      });
    },
    reveal: async (item) => {
      const known = (): boolean => items.value.some((one) => one.id === item);
      while (!known() && more.value) await load(LARGE_PAGE);
      return known();
    },
    loadAll: async () => {
      while (more.value) await load(LARGE_PAGE);
    },
  };
}

async function loadPage(store: ChatStore, limit: number, shown: () => void): Promise<void> {
  const { id, more } = store;
  const oldest = store.older[0] ?? store.view?.items[0];
  if (id.value === undefined || oldest === undefined || !more.value) return;
  const query = { before: oldest.id, limit };
  const { body } = await api.get<Page<Item>>(`/sessions/${id.value}/messages`, { query });
  store.older = [...body.items, ...store.older];
  batch(() => {
    more.value = (body.prev ?? null) !== null;
    shown();
  });
}
