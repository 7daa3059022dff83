/** Items of a chat that are not its newest: loaded in pages as somebody wants them, forgotten when they have become many. */
import { createView, type Item } from "@margay/core/state";
import { inDisplayOrder } from "@margay/core/internal/state";
import { batch } from "@preact/signals";
import { api, ApiProblem } from "../api.ts";
import type { Page } from "../wire.ts";
import type { Chat, ChatStore } from "./chat-state.ts";

const PAGE = 50;
/** When much is wanted at once: what the gateway gives at most. */
const LARGE_PAGE = 200;
/** More than a page shows in a day of talking; a tab that stays open for weeks holds no more. */
const MOST_ITEMS = 600;
const KEPT_ITEMS = 300;
/** Before the first item of every conversation. */
const START = "0.0";

/** @param shown Draws what the store holds. */
export function olderItems(
  store: ChatStore,
  shown: () => void,
): Pick<
  Chat,
  "drawn" | "hasOlder" | "loadOlder" | "loadNewer" | "leavePart" | "forgetOlder" | "reveal" | "revealFirst" | "loadAll"
> {
  const once = (load: () => Promise<void>): Promise<void> => {
    if (store.loading !== undefined) return store.loading;
    const mine = load().finally(() => {
      if (store.loading === mine) store.loading = undefined;
    });
    store.loading = mine;
    return mine;
  };
  const isFree = async (): Promise<void> => {
    while (store.loading !== undefined) await store.loading.catch(() => undefined); // who asked for that is told
  };
  const { items, part, more, live } = store;
  const isDrawn = (item: string): boolean => (part.value?.items ?? items.value).some((one) => one.id === item);
  return {
    drawn: () => part.value?.items ?? items.value,
    hasOlder: () => part.value?.more ?? more.value,
    loadOlder: () => once(() => (part.value === undefined ? loadPage(store, PAGE, shown) : growPart(store, "before"))),
    loadNewer: () => once(() => growPart(store, "after", shown)),
    leavePart: () => {
      part.value = undefined;
    },
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
      await isFree();
      if (isDrawn(item)) return true;
      if (items.value.some((one) => one.id === item)) part.value = undefined;
      else await once(() => jump(store, { around: item }, shown));
      return isDrawn(item);
    },
    revealFirst: async () => {
      await isFree();
      if (part.value?.more ?? more.value) await once(() => jump(store, { after: START }, shown));
    },
    loadAll: async () => {
      while (more.value) await once(() => loadPage(store, LARGE_PAGE, shown));
    },
  };
}

async function loadPage(store: ChatStore, limit: number, shown: () => void): Promise<void> {
  const { more } = store;
  const oldest = store.older[0] ?? store.view?.items[0];
  if (oldest === undefined || !more.value) return;
  const body = await itemsOf(store, { before: oldest.id, limit });
  if (body !== undefined) putBefore(store, body.items, (body.prev ?? null) !== null, shown);
}

/** In front of the newest. */
function putBefore(store: ChatStore, items: readonly Item[], more: boolean, shown: () => void): void {
  store.older = [...items, ...store.older];
  batch(() => {
    store.more.value = more;
    store.part.value = undefined;
    shown();
  });
}

/** Alone, unless it reaches what is loaded. */
async function jump(store: ChatStore, place: Readonly<Record<string, string>>, shown: () => void): Promise<void> {
  const body = await itemsOf(store, { ...place, limit: 2 * PAGE });
  if (body === undefined || body.items.length === 0) return;
  put(store, body.items, (body.prev ?? null) !== null, shown);
}

async function growPart(store: ChatStore, where: "before" | "after", shown = (): void => undefined): Promise<void> {
  const { part } = store;
  const now = part.value;
  const end = where === "before" ? now?.items[0] : now?.items.at(-1);
  if (now === undefined || end === undefined || (where === "before" && !now.more)) return;
  const body = await itemsOf(store, { [where]: end.id, limit: PAGE });
  if (body === undefined || part.value !== now) return; // left meanwhile
  store.loading = undefined; // over before it is drawn: what the page does not fill asks for more then
  if (where === "after") put(store, [...now.items, ...body.items], now.more, shown);
  else part.value = { items: inDisplayOrder([...body.items, ...now.items]), more: (body.prev ?? null) !== null };
}

function put(store: ChatStore, items: readonly Item[], more: boolean, shown: () => void): void {
  const oldest = store.older[0] ?? store.view?.items[0];
  const met = items.findIndex(({ id }) => id === oldest?.id);
  if (met >= 0) putBefore(store, items.slice(0, met), more, shown);
  else store.part.value = { items: inDisplayOrder(items), more };
}

/** @returns undefined where there is no such place any more. */
async function itemsOf(
  { id }: ChatStore,
  query: Readonly<Record<string, string | number>>,
): Promise<Page<Item> | undefined> {
  if (id.value === undefined) return undefined;
  try {
    return (await api.get<Page<Item>>(`/sessions/${id.value}/messages`, { query })).body;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === "message.not-found") return undefined;
    throw error;
  }
}
