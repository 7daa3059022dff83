/** The one WebSocket: commands with ids, subscriptions that survive reconnecting, and what state the line is in. */
import { effect, signal, untracked } from "@preact/signals";
import { api, ApiProblem, offline } from "./api.ts";
import { forget, login, loginKey } from "./auth.ts";
import { randomId } from "./lib/ids.ts";
import type { ServerFrame } from "./wire.ts";

/** `lost` since a moment: the bar appears after a second; `offline` after 15, or at once in a browser without a network. */
export type Line =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | {
      readonly state: "lost";
      readonly since: number;
      readonly offline: boolean;
      readonly restarting: boolean;
      readonly nextTry: number;
    };

export const line = signal<Line>({ state: "connecting" });
/** Set when the gateway runs another build than this page was loaded from. */
export const otherBuild = signal(false);
/** Server clock minus ours, ms: running clocks and deadlines follow the server. */
export const clockSkew = signal(0);

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
const PING_MS = 20_000;
const PONG_WITHIN_MS = 8_000;
const COMMAND_MS = 30_000;
const OFFLINE_AFTER_MS = 15_000;
/** From the attempt to the first frame: a network that swallows packets refuses nothing. */
const WELCOME_WITHIN_MS = 10_000;
/** The system says that the network went or came: is it true for us? A gateway on this machine does not notice. */
const PROBE_MS = 900;
/** Back after a while, or after the machine slept. */
const RETURN_PROBE_MS = 3_000;

type FrameOf<Type extends ServerFrame["type"]> = Extract<ServerFrame, { type: Type }>;
type Listener = (frame: ServerFrame) => void;
interface Subscription {
  readonly fields: () => Readonly<Record<string, unknown>>;
  begin(): Promise<void>;
}
interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface Connection {
  /** @throws ApiProblem, also when the line is down: commands are not kept. */
  command<Result>(type: string, fields: Readonly<Record<string, unknown>>): Promise<Result>;
  /**
   * Sent now and after every reconnect, until the returned function is called. `fields` are asked each time.
   * @param subscribed Called when the gateway has it, each time: what is read from then on misses nothing.
   */
  subscribe(fields: () => Readonly<Record<string, unknown>>, subscribed?: () => void): () => void;
  listen(listener: Listener): () => void;
  /** Now instead of after the wait. */
  retry(): void;
  close(): void;
}

/** Only this page's own host; no parameter can name another. */
export function openConnection(): Connection {
  const listeners = new Set<Listener>();
  const subscriptions = new Set<Subscription>();
  const waiting = new Map<string, Waiting>();
  let socket: WebSocket | undefined;
  let build: string | undefined;
  let wait = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pinger: ReturnType<typeof setInterval> | undefined;
  let goingOffline: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const send = (frame: Readonly<Record<string, unknown>>): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };

  const open = (): void => {
    clearTimeout(timer);
    const key = loginKey();
    if (closed || key === null || socket !== undefined) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const mine = new WebSocket(`${scheme}://${location.host}/ws`, ["margay.v1", `margay.key.${key}`]);
    socket = mine;
    let welcomed = false;
    const tried = Date.now();
    const late = setTimeout(() => drop(mine, tried), WELCOME_WITHIN_MS);
    mine.onmessage = (event: MessageEvent<string>) => {
      if (socket !== mine) return; // given up: what comes late came again by the new one
      const frame = JSON.parse(event.data) as ServerFrame; // the gateway's own frames
      if (frame.type === "welcome") {
        welcomed = true;
        clearTimeout(late);
        onWelcome(frame);
      }
      deliver(frame);
    };
    mine.onclose = (event) => {
      clearTimeout(late);
      if (!letGo(mine)) return;
      if (event.code === 4401 || event.code === 4403) return signedOut();
      if (!welcomed) void whyRefused();
      lost();
    };
  };

  const letGo = (mine: WebSocket): boolean => {
    if (socket !== mine) return false;
    socket = undefined;
    clearInterval(pinger);
    for (const { reject } of waiting.values()) reject(offline());
    waiting.clear();
    return true;
  };

  /** Does not wait for its `close`: on a silent network that takes a minute. @param since It was last heard of. */
  const drop = (mine: WebSocket, since: number): void => {
    if (!letGo(mine)) return;
    mine.close();
    lost(since);
  };

  const onWelcome = (frame: FrameOf<"welcome">): void => {
    otherBuild.value = build !== undefined && build !== frame.build;
    build ??= frame.build;
    clockSkew.value = frame.now - Date.now();
    wait = FIRST_WAIT_MS;
    line.value = { state: "open" };
    clearTimeout(goingOffline);
    for (const { begin } of subscriptions) void begin();
    clearInterval(pinger);
    pinger = setInterval(() => ping(PONG_WITHIN_MS), PING_MS);
  };

  const deliver = (frame: ServerFrame): void => {
    if (frame.type === "reply" || frame.type === "error" || frame.type === "pong") {
      const id = frame.id ?? "";
      const asked = waiting.get(id);
      waiting.delete(id);
      if (frame.type === "error") asked?.reject(new ApiProblem(frame.error));
      else asked?.resolve(frame.type === "reply" ? frame.result : frame);
    }
    if (frame.type === "goodbye" && frame.reason !== "auth")
      line.value = { state: "lost", since: Date.now(), offline: false, restarting: true, nextTry: Date.now() };
    for (const listener of listeners) listener(frame);
  };

  const ping = (withinMs: number): void => {
    const mine = socket;
    if (mine?.readyState !== WebSocket.OPEN) return;
    const asked = Date.now();
    const late = setTimeout(() => drop(mine, asked), withinMs);
    void quietly(command("ping", { t: Date.now() }).finally(() => clearTimeout(late)));
  };

  const lost = (since = Date.now()): void => {
    if (closed || login.value === "signed-out") return;
    const before = line.value;
    const delay = wait * (0.5 + Math.random() / 2);
    wait = Math.min(wait * 2, MAX_WAIT_MS);
    const began = before.state === "lost" ? before.since : since;
    const left = began + OFFLINE_AFTER_MS - Date.now();
    line.value = {
      state: "lost",
      since: began,
      offline: left <= 0 || !navigator.onLine,
      restarting: before.state === "lost" && before.restarting,
      nextTry: Date.now() + delay,
    };
    timer = setTimeout(open, delay);
    clearTimeout(goingOffline);
    goingOffline = setTimeout(() => {
      if (line.value.state === "lost") line.value = { ...line.value, offline: true };
    }, left);
  };

  const signedOut = (): void => {
    forget(false);
    login.value = "signed-out";
    clearTimeout(timer);
  };

  /** A refused handshake has no status in a browser: ask whether the login still holds. */
  const whyRefused = async (): Promise<void> => {
    const state = await quietly(api.get<{ authenticated: boolean }>("/auth/state"));
    if (state?.body.authenticated === false) signedOut();
  };

  const command = <Result>(type: string, fields: Readonly<Record<string, unknown>>): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (socket?.readyState !== WebSocket.OPEN) return reject(offline());
      const id = randomId("c");
      const timeout = setTimeout(() => {
        waiting.delete(id);
        reject(offline());
      }, COMMAND_MS);
      const settle = (): void => clearTimeout(timeout);
      waiting.set(id, {
        resolve: (result) => {
          settle();
          resolve(result as Result); // what this command answers
        },
        reject: (error) => {
          settle();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      });
      send({ ...fields, id, type });
    });

  const atOnce = (): void => {
    if (document.visibilityState !== "visible" && line.value.state !== "connecting") return;
    open();
    ping(RETURN_PROBE_MS);
  };
  /** Now, not when the attempt that hangs is given up. */
  const tryAgain = (): void => {
    wait = FIRST_WAIT_MS;
    if (socket?.readyState === WebSocket.CONNECTING) drop(socket, Date.now());
    open();
  };
  const networkWent = (): void => ping(PROBE_MS);
  const networkCame = (): void => {
    tryAgain();
    ping(PROBE_MS);
  };
  // Logged in again over what was open: the same page goes on.
  const stopWatching = effect(() => {
    if (login.value === "in") untracked(atOnce);
  });
  addEventListener("online", networkCame);
  addEventListener("offline", networkWent);
  addEventListener("focus", atOnce);
  document.addEventListener("visibilitychange", atOnce);

  return {
    command,
    subscribe: (fields, subscribed) => {
      const mine: Subscription = {
        fields,
        begin: async () => {
          const asked = socket;
          try {
            await command("subscribe", fields());
            if (subscriptions.has(mine)) subscribed?.();
          } catch (error) {
            // A journal that cannot be read now can be in a while. What fails otherwise is seen in the state of the line.
            if (!(error instanceof ApiProblem) || error.problem.status < 500) return;
            setTimeout(() => {
              if (subscriptions.has(mine) && socket === asked) void mine.begin();
            }, FIRST_WAIT_MS);
          }
        },
      };
      subscriptions.add(mine);
      if (line.value.state === "open") void mine.begin();
      return () => {
        subscriptions.delete(mine);
        const { session, topic } = fields();
        // The gateway knows one of each: others on this page may still want it.
        const isWanted = [...subscriptions].some((one) => {
          const other = one.fields();
          return other["session"] === session && other["topic"] === topic;
        });
        const what = session === undefined ? { topic } : { session };
        if (!isWanted && line.value.state === "open") void quietly(command("unsubscribe", what));
      };
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry: tryAgain,
    close: () => {
      closed = true;
      stopWatching();
      removeEventListener("online", networkCame);
      removeEventListener("offline", networkWent);
      removeEventListener("focus", atOnce);
      document.removeEventListener("visibilitychange", atOnce);
      clearTimeout(timer);
      clearTimeout(goingOffline);
      clearInterval(pinger);
      socket?.close();
    },
  };
}

/** What fails here is seen elsewhere: in the state of the line. */
async function quietly<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch {
    return undefined;
  }
}
