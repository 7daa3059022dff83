/** Addresses of ours that platforms call: which there are, and what of a call is believed. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Json, Millis } from "../contract/base.ts";
import type { CalledHook, ChannelHook, ChannelHost, ToldByCalls } from "../contract/channel.ts";

export interface ChannelHooks {
  /** A gateway hands over what comes: until then there are no addresses. */
  serve(): void;
  /** The last one that opened an address has it. @returns undefined: no gateway serves. @throws TypeError for what is no path. */
  open(channel: string, path: string, hook: ChannelHook): Disposable | undefined;
  find(channel: string, path: string): ChannelHook | undefined;
  /** Those of a channel, as its platform needs them: `/hooks/channel/slack/events`. */
  addresses(channel: string): readonly string[];
}

/** For the audit log; the caller learns none of it. */
export type CallRefusal = "unknown hook" | "no signature" | "no timestamp" | "old timestamp" | "wrong signature";

/** Clocks differ, and a recorded call must not work tomorrow. */
const WINDOW_MS = 300_000;
const USUAL_BYTES = 1_048_576;
/** Of platforms that send files with what they tell. */
const LARGEST_BYTES = 26_214_400;

export function createChannelHooks(): ChannelHooks {
  const open = new Map<string, ChannelHook>();
  let isServed = false;
  const prefixOf = (channel: string): string => `/hooks/channel/${channel}/`;
  return {
    serve: () => {
      isServed = true;
    },
    open: (channel, path, hook) => {
      if (!isServed) return undefined;
      if (!/^[a-z][a-z0-9-]*$/.test(path)) throw new TypeError(`${path} is no path of a hook`);
      const address = prefixOf(channel) + path;
      open.set(address, hook);
      const close = (): void => {
        if (open.get(address) === hook) open.delete(address);
      };
      return { [Symbol.dispose]: close };
    },
    find: (channel, path) => open.get(prefixOf(channel) + path),
    addresses: (channel) => [...open.keys()].filter((address) => address.startsWith(prefixOf(channel))),
  };
}

/** How many bytes a call of it may have. */
export function hookBytes(hook: ChannelHook | undefined): number {
  return Math.min(hook?.maxBytes ?? USUAL_BYTES, LARGEST_BYTES);
}

/** @throws what `handle` throws: it was not taken. */
export async function answerCall(
  hook: ChannelHook | undefined,
  { headers, body }: { readonly headers: Headers; readonly body: Uint8Array },
  now: Millis,
): Promise<{ readonly answer: Json | undefined } | { readonly refused: CallRefusal }> {
  if (hook === undefined) return { refused: "unknown hook" };
  const proof = hook.proof(headers, body);
  if (proof === undefined || proof.given === "") return { refused: "no signature" };
  const { given, expected, signedAt } = proof;
  const isRight = isSame(given, expected);
  if (signedAt !== undefined && !Number.isFinite(signedAt)) return { refused: "no timestamp" };
  if (signedAt !== undefined && Math.abs(now - signedAt) > WINDOW_MS) return { refused: "old timestamp" };
  if (!isRight) return { refused: "wrong signature" };
  return { answer: await hook.handle(headers, body) };
}

/** In the same time, whatever is wrong and however long it is. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** What is told, one after the other: each call is answered when what it told was taken. @throws as `http`. */
export function openCalls<Told>(
  http: ChannelHost["http"],
  path: string,
  { read, ...hook }: CalledHook<Told>,
  signal: AbortSignal,
): ToldByCalls<Told> {
  const queue: Awaited<ReturnType<ToldByCalls<Told>["next"]>>[] = [];
  const waiting = new Set<PromiseWithResolvers<Json | undefined>>();
  let wake = (): void => {};
  const offered = (told: Told): Promise<Json | undefined> => {
    const answered = Promise.withResolvers<Json | undefined>();
    waiting.add(answered);
    const taken = (answer?: Json): void => {
      waiting.delete(answered);
      answered.resolve(answer);
    };
    queue.push({ told, taken });
    wake();
    return answered.promise;
  };
  const opened = http(path, {
    ...hook,
    handle: async (headers, body) => {
      const found = read(headers, body);
      return "told" in found ? offered(found.told) : found.answer;
    },
  });
  const stop = (): void => wake();
  signal.addEventListener("abort", stop, { once: true });
  return {
    async next() {
      for (;;) {
        signal.throwIfAborted();
        const found = queue.shift();
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.dispose]() {
      signal.removeEventListener("abort", stop);
      opened[Symbol.dispose]();
      // The platform is told that it was not taken, and calls again.
      for (const answered of waiting) answered.reject(new Error("the channel ended before it was taken"));
    },
  };
}
