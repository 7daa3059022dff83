/** One socket to the gateway of Discord: says who we are, keeps the heart beating, hands out what is told, in order. */
import type { ChannelHost } from "@margay/core/plugin";
import { isRecord, parsed, type Wire } from "./json.ts";

/** What Discord tells. `seq` rises within a session. */
export interface Dispatch {
  readonly type: string;
  readonly seq: number;
  readonly data: Wire;
}

/** Why a socket ended. `code`: of the gateway; op 7 and 9 have none. */
export class Closed extends Error {
  readonly code: number | undefined;
  /** Whether the session may be taken up by the next socket. */
  readonly isResumable: boolean;
  /** Discord has asked for another socket, and nothing is wrong. */
  readonly isAsked: boolean;

  constructor(
    message: string,
    { code, isResumable = true, isAsked = false }: Partial<Pick<Closed, "code" | "isResumable" | "isAsked">> = {},
  ) {
    super(message);
    this.code = code;
    this.isResumable = isResumable;
    this.isAsked = isAsked;
  }
}

export interface Link extends Disposable {
  /** @throws Closed, when all that came before was handed out; the reason of the signal. */
  next(): Promise<Dispatch>;
  /** Everything that came was handed out. */
  isIdle(): boolean;
}

/** The session is over: not authenticated, authenticated twice, a wrong number, timed out. */
const ENDED = [4003, 4005, 4007, 4009];
/** Says goodbye and keeps the session: 1000 and 1001 would end it. */
const KEEP = 4000;
const CONNECT_MS = 30_000;

/**
 * @param url Of the gateway.
 * @param hello What is said first: identify or resume.
 */
export function openGateway(url: string, hello: Wire, host: ChannelHost, signal: AbortSignal): Link {
  const queue: Dispatch[] = [];
  let ended: Error | undefined;
  let wake = (): void => {};
  let seq: number | null = null;
  const address = new URL(url);
  address.search = "v=10&encoding=json";
  const socket = new WebSocket(address);
  const waiting = host.clock.timer(CONNECT_MS, () => over(new Closed("the gateway did not say hello")));
  const over = (error: Error): void => {
    ended ??= error;
    waiting[Symbol.dispose]();
    heart.stop();
    if (socket.readyState <= WebSocket.OPEN) socket.close(KEEP);
    wake();
  };
  const stop = (): void => over(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
  const say = (frame: Wire): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const heart = heartOf(
    host,
    () => say({ op: 1, d: seq }),
    () => over(new Closed("a heartbeat was not answered")),
  );
  const read = ({ op, d, s, t }: Wire): void => {
    if (op === 0 && typeof t === "string" && typeof s === "number") {
      seq = s;
      queue.push({ type: t, seq: s, data: isRecord(d) ? d : {} });
      wake();
    } else if (op === 1) heart.beat();
    else if (op === 7) over(new Closed("Discord asked for another connection", { isAsked: true }));
    else if (op === 9) over(new Closed("Discord ended the session", { isResumable: d === true }));
    else if (op === 10) {
      waiting[Symbol.dispose]();
      heart.start(isRecord(d) && typeof d["heartbeat_interval"] === "number" ? d["heartbeat_interval"] : 41_250);
      say(hello);
    } else if (op === 11) heart.heard();
  };
  socket.addEventListener("message", ({ data }) => {
    if (ended !== undefined) return;
    host.alive();
    try {
      const text: unknown = data;
      const frame = typeof text === "string" ? parsed(text) : undefined;
      if (frame !== undefined) read(frame);
      else host.deadLetter(typeof text === "string" ? text : "binary", new Error("no JSON object"));
    } catch (error) {
      over(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.addEventListener("close", ({ code, reason }) =>
    over(new Closed(`${code} ${reason}`.trim(), { code, isResumable: !ENDED.includes(code) })),
  );
  socket.addEventListener("error", () => over(new Closed("the connection failed")));
  signal.addEventListener("abort", stop, { once: true });
  return {
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
    isIdle: () => queue.length === 0,
    [Symbol.dispose]: () => {
      signal.removeEventListener("abort", stop);
      over(new Closed("it is over"));
    },
  };
}

interface Heart {
  start(ms: number): void;
  beat(): void;
  /** The last beat was answered. */
  heard(): void;
  stop(): void;
}

/** @param dead called when a beat was not answered: the connection stands, and nobody is at its other end */
function heartOf({ clock }: ChannelHost, say: () => void, dead: () => void): Heart {
  let isAnswered = true;
  let timer: Disposable | undefined;
  const beat = (): void => {
    isAnswered = false;
    say();
  };
  const beatIn = (ms: number, every: () => void): void => {
    timer = clock.timer(ms, () => {
      if (!isAnswered) return dead();
      beat();
      every();
    });
  };
  return {
    start: (ms) => {
      const every = (): void => beatIn(ms, every);
      // The first one comes early: clients that were cut off at once are not to beat at once.
      beatIn(ms / 2, every);
    },
    beat,
    heard: () => {
      isAnswered = true;
    },
    stop: () => timer?.[Symbol.dispose](),
  };
}
