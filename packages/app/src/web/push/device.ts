/** This browser as a device that is told: what it can, and its subscription. */
import type { z } from "zod";
import type { PushSchema } from "../../features/push/schema.ts";
import { api } from "../api.ts";
import { parse, route } from "../lib/route.ts";
import { languageTag } from "../texts/texts.ts";
import { setPushOn } from "./flag.ts";

export type Devices = z.infer<typeof PushSchema>;

/**
 * `insecure`: browsers have it on HTTPS and on localhost alone. `install`: on an iPhone or iPad only a page on the home screen
 * has it. `none`: this browser has no push service. `denied`: its person said no to the browser.
 */
export type Ability = "ready" | "insecure" | "install" | "none" | "denied";

const WORKER = "/push-worker.js";

export function ability(): Ability {
  if (!isSecureContext) return "insecure";
  const has = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  if (!has) return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "none";
  return Notification.permission === "denied" ? "denied" : "ready";
}

/**
 * Asks the browser for permission, then its push service for an address, and hands that to the gateway.
 * @returns "denied" when the person says no. @throws what the push service says; ApiProblem.
 */
export async function turnOn(): Promise<Ability> {
  if ((await Notification.requestPermission()) !== "granted")
    return Notification.permission === "denied" ? "denied" : "ready";
  const { body } = await api.get<Devices>("/push");
  const registration = await register();
  await hand(await subscribed(registration, body.key));
  setPushOn(true);
  listen();
  return "ready";
}

/** @throws ApiProblem: it stays as it is. */
export async function turnOff(): Promise<void> {
  const { body } = await api.get<Devices>("/push");
  const registration = await navigator.serviceWorker.getRegistration();
  for (const { id, current } of body.items) if (current) await api.delete(`/push/${id}`);
  setPushOn(false);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}

/** With each start of the page: what the push service gave anew, the language, and what is open when a notice is tapped. */
export function follow(): () => void {
  listen();
  void renew().catch(() => {}); // the next start tries again; the settings say what is wrong
  return () => {
    navigator.serviceWorker?.removeEventListener("message", take);
    document.removeEventListener("visibilitychange", look);
  };
}

/** The same listeners each time: twice is once. */
function listen(): void {
  navigator.serviceWorker?.addEventListener("message", take);
  document.addEventListener("visibilitychange", look);
  look();
}

function look(): void {
  if (document.visibilityState === "visible") void takeAway();
}

async function renew(): Promise<void> {
  if (ability() !== "ready" || Notification.permission !== "granted") return;
  const { body } = await api.get<Devices>("/push");
  await hand(await subscribed(await register(), body.key));
}

/** Trusted Types: the one address that this page registers, and no other. */
async function register(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("margay-push", { createScriptURL: () => WORKER });
  const address = policy?.createScriptURL("") ?? WORKER;
  await navigator.serviceWorker.register(address as string); // where there are such types it is one
  return navigator.serviceWorker.ready;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(given: string): unknown };
}

/** One that was made for another key is of no use. */
async function subscribed({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const wanted = bytesOf(key);
  const found = await pushManager.getSubscription();
  const had = new Uint8Array(found?.options.applicationServerKey ?? new ArrayBuffer(0));
  if (found !== null && had.length === wanted.length && had.every((byte, at) => byte === wanted[at])) return found;
  await found?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
}

async function hand(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  await api.post("/push", { endpoint, keys, language: languageTag() });
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** Whoever looks here sees it here. */
async function takeAway(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const notice of (await registration?.getNotifications()) ?? []) notice.close();
  const { clearAppBadge } = navigator as { readonly clearAppBadge?: () => Promise<void> };
  await clearAppBadge?.call(navigator).catch(() => {}); // an ornament
}

/** A notice was tapped, and this page is the one that is open. */
function take({ data, ports: [port] }: MessageEvent<unknown>): void {
  if (typeof data !== "object" || data === null || !("open" in data) || typeof data.open !== "string") return;
  port?.postMessage(true);
  history.pushState(null, "", data.open); // a path of this gateway: the worker looked
  route.value = parse();
}
