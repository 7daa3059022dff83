/**
 * The service worker: shows that something waits, and opens that. It caches nothing, answers no request (it has no `fetch`
 * listener), and its own policy lets it reach nothing (`host/http/headers.ts`). A classic script of its own, `/push-worker.js`.
 */
import { en } from "./worker-texts.en.ts";
import { zh } from "./worker-texts.zh.ts";

/** Of what a worker has, as far as this one uses it: the types of pages know no worker. */
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(of: { readonly type: "window"; readonly includeUncontrolled: true }): Promise<readonly Tab[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof Happens>(name: Name, listener: (event: Happens[Name]) => void): void;
}
interface Tab {
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown, transfer: readonly Transferable[]): void;
}
interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}
interface Happens {
  readonly install: Lasting;
  readonly push: Lasting & { readonly data: { json(): unknown } | null };
  readonly notificationclick: Lasting & { readonly notification: Notification };
}

/** As `features/push/deliver.ts` sends it. */
interface Told {
  readonly count: number;
  readonly to: string;
  readonly quiet: boolean;
  readonly language: "en" | "zh-CN";
}

/** One notice: what is newer takes its place. */
const TAG = "margay-waits";
const ANSWER_MS = 1_000;
const worker = globalThis as unknown as Worker; // what it is where this runs

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json() as Told | undefined)));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

/** Browsers take the permission from who is told and shows nothing: also "nothing waits" is a notice, without a sound. */
async function show(told: Told | undefined): Promise<void> {
  const { count = 1, to = "/", quiet = false, language = "en" } = told ?? {};
  const words = language === "zh-CN" ? zh : en;
  const body = count === 0 ? words.none : count === 1 ? words.one : words.many.replace("{n}", String(count));
  const shown = { body, tag: TAG, silent: quiet, renotify: !quiet, lang: language, data: to, icon: "/icon-192.png" };
  await worker.registration.showNotification("margay", shown);
  await badge(count);
}

/** On the icon of an installed page, where the system has that. */
async function badge(count: number): Promise<void> {
  const { setAppBadge } = navigator as { readonly setAppBadge?: (count: number) => Promise<void> };
  await setAppBadge?.call(navigator, count).catch(() => {}); // an ornament
}

/** In a page that is open, if one answers; else in a new one. Never elsewhere than here. */
async function open(to: unknown): Promise<void> {
  const address = new URL(typeof to === "string" ? to : "/", location.origin);
  const path = address.origin === location.origin ? address.pathname + address.search : "/";
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const first = tabs.find(({ visibilityState }) => visibilityState === "visible") ?? tabs[0];
  if (first !== undefined && (await answers(first, path))) await first.focus().catch(() => {}); // it is open all the same
  else await worker.clients.openWindow(path);
}

function answers(tab: Tab, open: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), ANSWER_MS);
    tab.postMessage({ open }, [port2]);
  });
}
