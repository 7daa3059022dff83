/** The address: `/s/<session>#<item>` for the chat, `?p=<panel>/<rest>` for the page beside it. */
import { computed, signal } from "@preact/signals";

export interface Route {
  readonly page: "chat" | "login" | "setup" | "welcome";
  /** Undefined: a chat that does not exist yet. */
  readonly session: string | undefined;
  readonly item: string | undefined;
  /** `cron`, `cron/<id>`, … */
  readonly panel: string | undefined;
}

export const route = signal<Route>(parse());

/** Its parts: what shows one of them is not drawn anew when another changes, as the item does with each place that is found. */
const page = computed(() => route.value.page);
const item = computed(() => route.value.item);
export const openSession = computed(() => route.value.session);
export const openPage = computed(() => route.value.panel);

export function parse(): Route {
  const { pathname, search, hash } = location;
  const full = /^\/(login|setup|welcome)$/.exec(pathname)?.[1];
  return {
    page: full === "login" || full === "setup" || full === "welcome" ? full : "chat",
    session: /^\/s\/([a-z0-9-]{1,64})$/.exec(pathname)?.[1],
    item: /^#(\d+\.\d+)$/.exec(hash)?.[1],
    panel: new URLSearchParams(search).get("p") ?? undefined,
  };
}

export function addressOf(to: Partial<Route>): string {
  const next = {
    page: page.value,
    session: openSession.value,
    panel: openPage.value,
    item: "item" in to ? to.item : item.value,
    ...to,
  };
  const path = next.page !== "chat" ? `/${next.page}` : next.session === undefined ? "/" : `/s/${next.session}`;
  const query = next.panel === undefined || next.page !== "chat" ? "" : `?p=${encodePanel(next.panel)}`;
  return path + query + (next.item === undefined ? "" : `#${next.item}`);
}

/** Goes somewhere; what is not named stays as it is, except the item. */
export function navigate(to: Partial<Route>, options: { readonly replace?: boolean } = {}): void {
  const address = addressOf({ item: undefined, ...to });
  if (address === location.pathname + location.search + location.hash) return;
  if (options.replace === true) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route.value = parse();
}

export function openPanel(panel: string): void {
  navigate({ panel, item: route.value.item });
}

export function closePanel(): void {
  navigate({ panel: undefined, item: route.value.item });
}

/** Plain clicks on links of our own stay in the page. */
export function followLink(event: MouseEvent, to: Partial<Route>): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(to);
}

export function watchAddress(): void {
  const read = (): void => {
    route.value = parse();
  };
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
}

function encodePanel(panel: string): string {
  return panel.split("/").map(encodeURIComponent).join("/");
}
