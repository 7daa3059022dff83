/** The one WebSocket: commands with ids, subscriptions that survive reconnecting, and what state the line is in. */
import { effect, signal, untracked } from "@preact/signals";
import { api, ApiProblem, offline } from "./api.ts";
import { forget, login, loginKey, person } from "./auth.ts";
import { command, type Commands } from "./commands.ts";
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

export interface Connection {
  /** @throws ApiProblem, also when the line is down: commands are not kept. */
  command<Result>(type: string, fields: Readonly<Record<string, unknown>>): Promise<Result>;
  /**
   * Sent now and after every reconnect, until the returned function is called. `fields` are asked each time.
   * @param subscribed Called when the gateway has it, each time: what is read from then on misses nothing.
   * @param refused Told why the gateway never will.
   */
  subscribe(
    fields: () => Readonly<Record<string, unknown>>,
    subscribed?: () => void,
    refused?: (error: ApiProblem) => void,
  ): () => void;
  listen(listener: Listener): () => void;
  /** Now instead of after the wait. */
  retry(): void;
  close(): void;
}

interface Wire extends Commands {
  readonly listeners: Set<Listener>;
  readonly subscriptions: Set<Subscription>;
  build: string | undefined;
  /** Until the next attempt, ms. */
  wait: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  pinger: ReturnType<typeof setInterval> | undefined;
  goingOffline: ReturnType<typeof setTimeout> | undefined;
  closed: boolean;
}

/** Only this page's own host; no parameter can name another. */
export function openConnection(): Connection {
  const wire: Wire = {
    listeners: new Set(),
    subscriptions: new Set(),
    waiting: new Map(),
    socket: undefined,
    build: undefined,
    wait: FIRST_WAIT_MS,
    timer: undefined,
    pinger: undefined,
    goingOffline: undefined,
    closed: false,
  };
  const atOnce = (): void => {
    if (document.visibilityState !== "visible" && line.value.state !== "connecting") return;
    open(wire);
    ping(wire, RETURN_PROBE_MS);
  };
  const networkWent = (): void => ping(wire, PROBE_MS);
  const networkCame = (): void => {
    tryAgain(wire);
    ping(wire, PROBE_MS);
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
    command: (type, fields) => command(wire, type, fields),
    subscribe: subscribe.bind(undefined, wire),
    listen: (listener) => {
      wire.listeners.add(listener);
      return () => wire.listeners.delete(listener);
    },
    retry: () => tryAgain(wire),
    close: () => {
      wire.closed = true;
      stopWatching();
      removeEventListener("online", networkCame);
      removeEventListener("offline", networkWent);
      removeEventListener("focus", atOnce);
      document.removeEventListener("visibilitychange", atOnce);
      clearTimeout(wire.timer);
      clearTimeout(wire.goingOffline);
      clearInterval(wire.pinger);
      wire.socket?.close();
    },
  };
}

function open(wire: Wire): void {
  clearTimeout(wire.timer);
  if (wire.closed || login.value !== "in" || wire.socket !== undefined) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = new WebSocket(`${scheme}://${location.host}/ws`, ["margay.v1", `margay.key.${loginKey()}`]);
  wire.socket = mine;
  let welcomed = false;
  const tried = Date.now();
  const late = setTimeout(() => drop(wire, mine, tried), WELCOME_WITHIN_MS);
  mine.onmessage = (event: MessageEvent<string>) => {
    if (wire.socket !== mine) return; // given up: what comes late came again by the new one
    const frame = JSON.parse(event.data) as ServerFrame; // the gateway's own frames
    if (frame.type === "welcome") {
      welcomed = true;
      clearTimeout(late);
      takeWelcome(wire, frame);
    }
    deliver(wire, frame);
  };
  mine.onclose = (event) => {
    clearTimeout(late);
    if (!letGo(wire, mine)) return;
    if (event.code === 4401 || event.code === 4403) return signedOut(wire);
    if (!welcomed) void whyRefused(wire);
    lost(wire);
  };
}

function letGo(wire: Wire, mine: WebSocket): boolean {
  if (wire.socket !== mine) return false;
  wire.socket = undefined;
  clearInterval(wire.pinger);
  for (const { reject } of wire.waiting.values()) reject(offline());
  wire.waiting.clear();
  return true;
}

/** Does not wait for its `close`: on a silent network that takes a minute. @param since It was last heard of. */
function drop(wire: Wire, mine: WebSocket, since: number): void {
  if (!letGo(wire, mine)) return;
  mine.close();
  lost(wire, since);
}

function takeWelcome(wire: Wire, frame: FrameOf<"welcome">): void {
  otherBuild.value = wire.build !== undefined && wire.build !== frame.build;
  wire.build ??= frame.build;
  clockSkew.value = frame.now - Date.now();
  wire.wait = FIRST_WAIT_MS;
  person.value = frame.person;
  line.value = { state: "open" };
  clearTimeout(wire.goingOffline);
  for (const { begin } of wire.subscriptions) void begin();
  clearInterval(wire.pinger);
  wire.pinger = setInterval(() => ping(wire, PONG_WITHIN_MS), PING_MS);
}

function deliver({ waiting, listeners }: Wire, frame: ServerFrame): void {
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
}

function ping(wire: Wire, withinMs: number): void {
  const mine = wire.socket;
  if (mine?.readyState !== WebSocket.OPEN) return;
  const asked = Date.now();
  const late = setTimeout(() => drop(wire, mine, asked), withinMs);
  void quietly(command(wire, "ping", { t: Date.now() }).finally(() => clearTimeout(late)));
}

function lost(wire: Wire, since = Date.now()): void {
  if (wire.closed || login.value === "signed-out") return;
  const before = line.value;
  const delay = wire.wait * (0.5 + Math.random() / 2);
  wire.wait = Math.min(wire.wait * 2, MAX_WAIT_MS);
  const began = before.state === "lost" ? before.since : since;
  const left = began + OFFLINE_AFTER_MS - Date.now();
  line.value = {
    state: "lost",
    since: began,
    offline: left <= 0 || !navigator.onLine,
    restarting: before.state === "lost" && before.restarting,
    nextTry: Date.now() + delay,
  };
  wire.timer = setTimeout(() => open(wire), delay);
  clearTimeout(wire.goingOffline);
  wire.goingOffline = setTimeout(() => {
    if (line.value.state === "lost") line.value = { ...line.value, offline: true };
  }, left);
}

function signedOut({ timer }: Wire): void {
  forget(false);
  login.value = "signed-out";
  clearTimeout(timer);
}

/** A refused handshake has no status in a browser: ask whether the login still holds. */
async function whyRefused(wire: Wire): Promise<void> {
  const state = await quietly(api.get<{ authenticated: boolean }>("/auth/state"));
  if (state?.body.authenticated === false) signedOut(wire);
}

/** Now, not when the attempt that hangs is given up. */
function tryAgain(wire: Wire): void {
  const { socket } = wire;
  wire.wait = FIRST_WAIT_MS;
  if (socket?.readyState === WebSocket.CONNECTING) drop(wire, socket, Date.now());
  open(wire);
}

function subscribe(
  wire: Wire,
  fields: Subscription["fields"],
  subscribed?: () => void,
  refused?: (error: ApiProblem) => void,
): () => void {
  const { subscriptions } = wire;
  const mine: Subscription = {
    fields,
    begin: async () => {
      const asked = wire.socket;
      try {
        await command(wire, "subscribe", fields());
        if (subscriptions.has(mine)) subscribed?.();
      } catch (error) {
        // A journal that cannot be read now can be in a while. What fails otherwise is seen in the state of the line.
        if (!(error instanceof ApiProblem)) return;
        const { status } = error.problem;
        // A line that is down (0), and too many at once (429), are no refusal.
        if (status < 500) return status > 402 && status < 429 ? refused?.(error) : undefined;
        setTimeout(() => {
          if (subscriptions.has(mine) && wire.socket === asked) void mine.begin();
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
    if (!isWanted && line.value.state === "open") void quietly(command(wire, "unsubscribe", what));
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
