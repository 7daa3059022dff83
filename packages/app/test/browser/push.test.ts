// "Tell me on this device": the switch, the worker that shows a notice, and the tap that opens the question.
import type { Page } from "playwright-core";
import { callsTool } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startPushService, type PushService, type Subscribed } from "../push/push-service.ts";
import { openBrowser, until, type BrowserOptions, type BrowserPlace } from "./support.ts";

interface Notice {
  readonly body: string;
  readonly silent: boolean | null;
  readonly lang: string;
  readonly data: unknown;
}

/** In place of the vendor's push service, which a browser without a network does not reach: what it would hand over. */
async function hands(place: BrowserPlace, service: PushService): Promise<() => readonly Subscribed[]> {
  const all: Subscribed[] = [];
  await place.context.grantPermissions(["notifications"], { origin: place.origin });
  await place.context.exposeFunction("handed", (key: string) => {
    const made = service.subscribe(key);
    all.push(made);
    return { endpoint: made.endpoint, keys: made.keys };
  });
  await place.context.addInitScript(() => {
    const { handed } = window as unknown as { handed(key: string): Promise<{ endpoint: string }> };
    let now: object | null = null;
    PushManager.prototype.getSubscription = () => Promise.resolve(now as PushSubscription | null);
    PushManager.prototype.subscribe = async (options) => {
      const bytes = new Uint8Array(options?.applicationServerKey as ArrayBuffer);
      const key = btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
      const made = await handed(key);
      now = {
        options: { applicationServerKey: bytes.buffer },
        toJSON: () => made,
        unsubscribe: () => {
          now = null;
          return Promise.resolve(true);
        },
      };
      return now as PushSubscription;
    };
  });
  return () => all;
}

/** Delivers what came for the browser to its worker, as its push service would. */
async function worker(page: Page): Promise<(text: string) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  return async (data) => {
    await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  };
}

function notices(page: Page): Promise<readonly Notice[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const shown = (await registration?.getNotifications()) ?? [];
    return shown.map(({ body, silent, lang, data }) => ({ body, silent, lang, data: data as unknown }));
  });
}

/** Whoever taps the notice; the browser's own tap comes from the system. */
async function tap({ context }: BrowserPlace): Promise<void> {
  const [running] = context.serviceWorkers();
  await running?.evaluate(async () => {
    const scope = globalThis as unknown as { readonly registration: ServiceWorkerRegistration };
    const [notification] = await scope.registration.getNotifications();
    const event = Object.assign(new Event("notificationclick"), { notification, waitUntil: () => {} });
    dispatchEvent(event);
  });
}

function looksAway(page: Page, away: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, away);
}

async function asks({ gateway }: BrowserPlace, query: string): Promise<void> {
  gateway.model.replies(callsTool("recall", { query }));
  const message = { parts: [{ type: "text", text: "look" }] };
  await gateway.api("/sessions", { method: "POST", body: { message } });
}

/** Where it is about noon now: at night a notice makes no sound. */
function zoneOfNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead < 0 ? "+" : "-"}${Math.abs(ahead)}`; // their signs are turned round
}

function told(service: PushService, config: object = {}): BrowserOptions {
  const tools = { webFetch: { allowHosts: [service.host] } };
  return {
    whole: true,
    config: {
      timeZone: zoneOfNoon(),
      policy: { rules: [{ tool: "recall", action: "ask" }] },
      tools,
      ...config,
    } as never,
  };
}

test("W§13.14 a device is told that questions wait, in a count alone, and the tap opens exactly that one", async (t) => {
  const service = await startPushService(t);
  const place = await openBrowser(t, told(service));
  const subscribed = await hands(place, service);
  const { page, gateway } = place;
  await page.goto(`${place.origin}/?p=settings/notifications`);
  await page.getByRole("checkbox", { name: "Tell me on this device" }).click();
  await page.getByRole("button", { name: "Try it" }).click();
  const came = (): readonly string[] => subscribed().flatMap(({ messages }) => messages.map(({ text }) => text));
  await until(came).toHaveLength(1);
  await place.isClean();
  const deliver = await worker(page);
  await deliver(came()[0] ?? "");
  await until(() => notices(page)).toEqual([
    { body: "Nothing waits for you now.", silent: false, lang: "en", data: "/" },
  ]);
  // Nobody looks, and two questions come.
  await looksAway(page, true);
  await asks(place, "the first canary");
  await until(came).toHaveLength(2);
  await asks(place, "the second canary");
  await until(came).toHaveLength(3);
  const { items } = (await gateway.api("/approvals")).body;
  const [second] = items as readonly { readonly session: string; readonly call: string }[];
  await deliver(came()[2] ?? "");
  const to = `/?p=approvals/${second?.session}/${second?.call}`;
  await until(() => notices(page)).toEqual([{ body: "2 things wait for you.", silent: false, lang: "en", data: to }]);
  await tap(place);
  const cards = page.locator("[data-page=approvals] li[data-call]");
  await until(() => cards.count()).toBe(2);
  expect(new URL(page.url()).search).toBe(to.slice(1));
  await until(() => page.evaluate(() => document.activeElement?.textContent)).toContain("the second canary");
  expect(await cards.first().innerText()).toContain("the second canary");
  await looksAway(page, false);
  await until(() => notices(page)).toEqual([]);
  await cards.first().getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByText("That question waits no more").waitFor();
  expect(service.faults).toEqual([]);
  expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(0);
  // And off again.
  await page.goto(`${place.origin}/?p=settings/notifications`);
  await page.getByRole("checkbox", { name: "Tell me on this device" }).click();
  await until(async () => (await gateway.api("/push")).body.items).toEqual([]);
  await until(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await place.isClean();
});

test("W§13.14 a count that fell takes the place of the notice without a sound, in the language of the page", async (t) => {
  const service = await startPushService(t);
  const place = await openBrowser(t, { ...told(service), phone: true, theme: "dark", language: "zh-CN" });
  await hands(place, service);
  const { page } = place;
  await page.goto(`${place.origin}/?p=settings/notifications`);
  await page.getByRole("checkbox", { name: "在此设备上通知我" }).click();
  await page.getByRole("button", { name: "试一下" }).waitFor();
  await place.isClean();
  const deliver = await worker(page);
  const said = (count: number, quiet: boolean): string => JSON.stringify({ count, to: "/", quiet, language: "zh-CN" });
  await deliver(said(3, false));
  await until(() => notices(page)).toMatchObject([{ body: "有 3 件事等你处理。", silent: false }]);
  await deliver(said(1, true));
  await until(() => notices(page)).toMatchObject([{ body: "有 1 件事等你处理。", silent: true }]);
  await deliver(said(0, true));
  await until(() => notices(page)).toMatchObject([{ body: "现在没有事项等你处理。", silent: true }]);
});

test("W§14 the worker caches nothing, answers no request and may reach nothing but its icon", async (t) => {
  const { page, origin } = await openBrowser(t);
  const answer = await page.request.get(`${origin}/push-worker.js`);
  expect(answer.headers()).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "content-security-policy": "default-src 'none'; img-src 'self'",
    "cache-control": "no-cache",
  });
  const script = await answer.text();
  expect(script.match(/addEventListener\(\W\w+/g)?.map((one) => one.replace(/.*\W/, ""))).toEqual([
    "install",
    "push",
    "notificationclick",
  ]);
  expect(script).not.toMatch(/fetch|caches|importScripts/);
});

test("W§13.14 where a browser cannot, the switch says why: on plain HTTP from elsewhere, and when its person said no", async (t) => {
  const elsewhere = await openBrowser(t, {
    ...{ phone: true, language: "zh-CN", theme: "dark", name: "home.test" },
    config: { gateway: { token: "6f1c0f6a2b9d4e7c8a5b3d2e1f0a9c8b7d6e5f4a3b2c1d0e" } },
  });
  await elsewhere.page.goto(`${elsewhere.origin}/?p=settings/notifications`);
  const label = elsewhere.page.getByRole("checkbox", { name: "在此设备上通知我" });
  await until(() => label.isDisabled()).toBe(true);
  await elsewhere.page.getByText("浏览器只在 HTTPS 和 localhost 上允许此功能").waitFor();
  await elsewhere.isClean();
  const refused = await openBrowser(t);
  await refused.page.addInitScript(() => Object.defineProperty(Notification, "permission", { value: "denied" }));
  await refused.page.goto(`${refused.origin}/?p=settings/notifications`);
  await refused.page.getByText("The browser does not allow notifications here").waitFor();
  await refused.isClean();
});
