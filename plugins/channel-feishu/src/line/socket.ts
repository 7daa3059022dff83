/** The long connection to Feishu: keeps it alive, puts fragments together, hands out what happened, in order. */
import type { ChannelHost } from "@margay/core/plugin";
import { CONTROL, DATA, decodeFrame, encodeFrame, type Frame, headerOf } from "./frame.ts";
import { parsed, type Wire } from "../json.ts";

/** Something that happened. */
export interface Delivery {
  readonly event: Wire;
  /** Tells the platform that it was taken: without it, it comes again. @param result what the client is shown */
  taken(result?: Wire): void;
}

/** Why a connection ended. */
export class Closed extends Error {}

export interface Link extends Disposable {
  /** Resolves with the platform's first word. @throws Closed; the reason of the signal. */
  readonly ready: Promise<void>;
  /** @throws Closed, when all that came before was handed out; the reason of the signal. */
  next(): Promise<Delivery>;
}

export interface LinkOptions {
  readonly url: string;
  readonly pingMs: number;
}

const CONNECT_MS = 30_000;
/** The platform wants it less often than a dead connection is to be noticed. */
const MOST_MS = 60_000;
/** So long an answer to a ping may take. */
const PONG_MS = 30_000;
/** Messages of which parts are missing. */
const MAX_OPEN = 64;
const MAX_PARTS = 1024;

export function openLink({ url, pingMs }: LinkOptions, host: ChannelHost, signal: AbortSignal): Link {
  const queue: Delivery[] = [];
  const parts = new Parts();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // `next` says it too
  let ended: Error | undefined;
  let wake = (): void => {};
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const say = (frame: Frame): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(encodeFrame(frame));
  };
  const waiting = host.clock.timer(CONNECT_MS, () => over(new Closed("nobody answered")));
  const heart = heartOf(host, pingMs, {
    beat: () => say(pingOf(url)),
    dead: () => over(new Closed("a ping was not answered")),
  });
  const over = (error: Error): void => {
    ended ??= error;
    waiting[Symbol.dispose]();
    heart.stop();
    ready.reject(ended);
    if (socket.readyState <= WebSocket.OPEN) socket.close(1000);
    wake();
  };
  const stop = (): void => over(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
  const read = (bytes: Uint8Array): void => {
    const frame = decodeFrame(bytes);
    const type = headerOf(frame, "type");
    if (frame.method === CONTROL && type === "pong") {
      waiting[Symbol.dispose]();
      ready.resolve();
      const { PingInterval: seconds } = (frame.payload && parsed(String(Buffer.from(frame.payload)))) ?? {};
      if (typeof seconds === "number" && seconds > 0) heart.every(seconds * 1000);
    } else if (frame.method === DATA && type === "event") {
      const whole = parts.add(frame);
      if (whole !== undefined) queue.push(deliveryOf(frame, whole, host, say));
      wake();
    }
  };
  socket.addEventListener("open", () => heart.start());
  socket.addEventListener("message", ({ data }) => {
    if (ended !== undefined) return;
    host.alive();
    heart.heard();
    const frame: unknown = data;
    const bytes = frame instanceof ArrayBuffer ? new Uint8Array(frame) : Buffer.from(String(frame));
    try {
      read(bytes);
    } catch (error) {
      host.deadLetter(bytes, error);
    }
  });
  socket.addEventListener("close", ({ code, reason }) => over(new Closed(`${code} ${reason}`.trim())));
  socket.addEventListener("error", () => over(new Closed("the connection failed")));
  signal.addEventListener("abort", stop, { once: true });
  return {
    ready: ready.promise,
    async next() {
      for (;;) {
        signal.throwIfAborted();
        const found = queue.shift();
        if (found !== undefined) return found;
        if (ended !== undefined) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.dispose]: () => {
      signal.removeEventListener("abort", stop);
      over(new Closed("it is over"));
    },
  };
}

function pingOf(url: string): Frame {
  const service = Number(new URL(url).searchParams.get("service_id") ?? 0);
  return { seq: 0n, log: 0n, service, method: CONTROL, headers: [["type", "ping"]] };
}

/** @throws what is no JSON object. */
function deliveryOf(frame: Frame, payload: Uint8Array, { clock }: ChannelHost, say: (frame: Frame) => void): Delivery {
  const event = parsed(String(Buffer.from(payload)));
  if (event === undefined) throw new TypeError("no JSON object");
  const since = clock.now();
  return {
    event,
    taken: (result) => {
      const data = result && Buffer.from(JSON.stringify(result)).toString("base64");
      const answer = JSON.stringify({ code: 200, ...(data !== undefined && { data }) });
      const took = String(clock.now() - since);
      say({ ...frame, headers: [...frame.headers, ["biz_rt", took]], payload: Buffer.from(answer) });
    },
  };
}

/** Long events come in several frames. */
class Parts {
  readonly #open = new Map<string, (Uint8Array | undefined)[]>();

  /** @returns the whole, once it is there. @throws TypeError for numbers that cannot be. */
  add(frame: Frame): Uint8Array | undefined {
    const payload = frame.payload ?? new Uint8Array();
    const sum = Number(headerOf(frame, "sum") ?? 1);
    if (sum <= 1) return payload;
    const seq = Number(headerOf(frame, "seq"));
    const id = headerOf(frame, "message_id") ?? "";
    if (!Number.isInteger(sum) || sum > MAX_PARTS || !Number.isInteger(seq) || seq < 0 || seq >= sum)
      throw new TypeError(`part ${seq} of ${sum}`);
    const known = this.#open.get(id);
    const list =
      known?.length === sum ? known : Array.from<undefined, Uint8Array | undefined>({ length: sum }, () => undefined);
    list[seq] = payload;
    this.#open.delete(id); // the newest stand last
    const whole = list.filter((part) => part !== undefined);
    if (whole.length === sum) return Buffer.concat(whole);
    this.#open.set(id, list);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return undefined;
  }
}

interface Heart {
  start(): void;
  /** From the next beat on. */
  every(ms: number): void;
  heard(): void;
  stop(): void;
}

function heartOf({ clock }: ChannelHost, first: number, { beat, dead }: { beat: () => void; dead: () => void }): Heart {
  let ms = Math.min(first, MOST_MS);
  let next: Disposable | undefined;
  let answer: Disposable | undefined;
  const start = (): void => {
    beat();
    answer ??= clock.timer(Math.min(ms, PONG_MS), dead);
    next = clock.timer(ms, start);
  };
  const heard = (): void => {
    answer?.[Symbol.dispose]();
    answer = undefined;
  };
  return {
    start,
    every: (wanted) => {
      const to = Math.min(wanted, MOST_MS);
      if (to === ms) return;
      ms = to;
      next?.[Symbol.dispose]();
      next = clock.timer(ms, start);
    },
    heard,
    stop: () => {
      heard();
      next?.[Symbol.dispose]();
    },
  };
}
