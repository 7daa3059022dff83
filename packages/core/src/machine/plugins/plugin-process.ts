/**
 * The process of one plugin: its own, low in priority, bounded in memory, without files, programs and network. What it does wrong fails
 * its own calls. It ends with margay, however margay ends: a shell beside it waits for the end of a pipe.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Clock, JsonObject, Logger, Millis } from "../../contract/base.ts";
import type { Address } from "../../contract/message.ts";
import type { RuntimeError } from "../../lib/errors/errors.ts";
import { fault } from "./fault.ts";
import { encodeFrame, type Frame, frameReader } from "./frames.ts";

/** What is started. */
export interface PluginSource {
  /** The name in messages. */
  readonly name: string;
  /** The whole of its code: what is run is what was hashed. */
  readonly code: string;
  /** A trusted plugin is imported from here instead, with all rights of the user. */
  readonly trustedPath?: string;
}
export interface PluginProcessOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called once when it has ended without being asked to. */
  readonly ended: () => void;
}
/** margay's side of one call. */
export interface HostCall {
  readonly about: { readonly id: string; readonly origin: Address; readonly settings: JsonObject };
  progress(text: string): void;
  /** What the plugin asks for. @throws Error whose message the plugin gets. */
  ask(what: string, args: Readonly<Record<string, unknown>>): Promise<JsonObject>;
}
export interface PluginProcess extends Disposable {
  /** What it says of itself, unchecked. */
  readonly offer: Frame;
  /** @returns what it gave, unchecked. @throws RuntimeError `plugin.fault`; the signal's reason. */
  call(tool: string, input: unknown, call: HostCall, signal: AbortSignal): Promise<unknown>;
  /** The same, of a hook. */
  hook(event: JsonObject, signal: AbortSignal): Promise<unknown>;
}

const START_MS: Millis = 10_000;
/** After its call was given up. */
const GRACE_MS: Millis = 1000;
/** Messages of one call that nobody waits for, in a second. */
const MAX_PROGRESS_PER_SECOND = 200;
/** Asked for at once, by all calls. */
const ASKS_AT_ONCE = 64;
const HEAP_MB = 256;
/** Of all that it may write to, kilobytes: the heap and what lies beside it. */
const DATA_KB = 1_000_000;
/** Of processor time: a process that outlives its host in an endless loop ends too. Seconds. */
const CPU_SECONDS = 600;
const SAID_CHARS = 2000;

/** $0: node. The shell has no part in the wire; the end of its input is the end of the plugin. */
const KEEPER = `ulimit -d ${DATA_KB} 2>/dev/null; ulimit -t ${CPU_SECONDS} 2>/dev/null
nice -n 10 "$0" "$@" </dev/null & child=$!
exec 3>&- 2>&-
read -r end
kill -9 "$child"`;

interface Open {
  /** Ends the process when it does not stop. */
  late?: Disposable;
  readonly call: HostCall | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** @throws RuntimeError `plugin.fault`: it could not be loaded; its words are in the message. */
export async function startPlugin(source: PluginSource, options: PluginProcessOptions): Promise<PluginProcess> {
  const { clock } = options;
  const child = begin(source);
  const wire = child.stdio[3] as Socket; // a pipe, as begin() asks for
  const state: Running = { open: new Map(), ready: Promise.withResolvers(), asks: 0, over: undefined, words: "" };
  const end = (why: string): void => {
    if (state.over !== undefined) return;
    state.over = fault(source.name, why);
    child.stdin?.destroy();
    wire.destroy();
    for (const { reject, late } of state.open.values()) {
      late?.[Symbol.dispose]();
      reject(state.over);
    }
    state.open.clear();
    state.ready.reject(state.over);
    options.ended();
  };
  const send = (frame: Frame): void => void (state.over === undefined && wire.write(encodeFrame(frame)));
  wire.on("data", frameReader(taker(source, options, state, { send, end }), end));
  wire.on("error", () => end(lastWords(state.words)));
  wire.once("close", () => end(lastWords(state.words)));
  child.once("error", (error) => end(`its process could not be started (${error.message})`));
  child.stderr
    ?.setEncoding("utf8")
    .on("data", (text: string) => (state.words = (state.words + text).slice(-SAID_CHARS)));
  unref(child, wire);
  const run = runner(state, clock, { send, end });
  const { code, trustedPath: path } = source;
  send({ type: "load", ...(path === undefined ? { code } : { path }) });
  using _late = clock.timer(START_MS, () => end("it did not start within 10 s"));
  const offer = await state.ready.promise;
  standBehind(child.pid);
  return {
    offer,
    call: (tool, input, call, signal) => run({ type: "call", tool, input, about: call.about }, call, signal),
    hook: (event, signal) => run({ type: "hook", event }, undefined, signal),
    [Symbol.dispose]: () => {
      state.over ??= fault(source.name, "it was ended");
      for (const { late } of state.open.values()) late?.[Symbol.dispose]();
      child.stdin?.destroy();
      wire.destroy();
    },
  };
}

interface Running {
  readonly open: Map<number, Open>;
  readonly ready: PromiseWithResolvers<Frame>;
  asks: number;
  over: RuntimeError | undefined;
  /** The last of what it wrote where errors go. */
  words: string;
}
interface Wire {
  readonly send: (frame: Frame) => void;
  readonly end: (why: string) => void;
}

/** What is done with what it says. */
function taker(
  { name }: PluginSource,
  { clock, log }: PluginProcessOptions,
  state: Running,
  { send, end }: Wire,
): (frame: Frame) => void {
  const floods = floodGate(clock);
  const answer = async (one: Open, { ask, what, args }: Frame): Promise<void> => {
    state.asks++;
    try {
      if (state.asks > ASKS_AT_ONCE) throw new Error("too much is asked for at once");
      const value = await one.call?.ask(String(what), args as Readonly<Record<string, unknown>>); // read as unknown by who answers
      send({ type: "answer", ask, value });
    } catch (error) {
      send({ type: "answer", ask, error: error instanceof Error ? error.message : String(error) });
    } finally {
      state.asks--;
    }
  };
  return (frame) => {
    const { type } = frame;
    if (type === "ready") return state.ready.resolve(frame);
    if (type === "unloaded" || type === "fault") return end(String(frame["error"]));
    if ((type === "log" || type === "progress") && floods()) return end("it says more than 200 things a second");
    if (type === "log") return log.info("plugin.said", { plugin: name, text: String(frame["text"]) });
    const id = Number(frame["call"]);
    const one = state.open.get(id);
    if (one === undefined) return; // given up meanwhile
    if (type === "progress") one.call?.progress(String(frame["text"]));
    else if (type === "ask") void answer(one, frame);
    else {
      state.open.delete(id);
      one.late?.[Symbol.dispose]();
      if (type === "result") one.resolve(frame["value"]);
      else one.reject(fault(name, String(frame["error"])));
    }
  };
}

function runner(
  state: Running,
  clock: Clock,
  { send, end }: Wire,
): (frame: Frame, call: HostCall | undefined, signal: AbortSignal) => Promise<unknown> {
  let calls = 0;
  return (frame, call, signal) => {
    signal.throwIfAborted();
    if (state.over !== undefined) return Promise.reject(state.over);
    const id = ++calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const one: Open = { call, resolve, reject };
    state.open.set(id, one);
    const giveUp = (): void => {
      reject(signal.reason);
      send({ type: "abort", call: id });
      one.late = clock.timer(GRACE_MS, () => end("it did not stop when it was told to"));
    };
    signal.addEventListener("abort", giveUp, { once: true });
    send({ ...frame, call: id });
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  };
}

function begin({ trustedPath }: PluginSource): ChildProcess {
  const isSource = import.meta.url.endsWith(".ts");
  const fence = readFileSync(
    fileURLToPath(new URL(`./fence-worker.${isSource ? "ts" : "js"}`, import.meta.url)),
    "utf8",
  );
  const node = [
    `--max-old-space-size=${HEAP_MB}`,
    "--disable-warning=ExperimentalWarning",
    // guard: no files, programs, threads and addons, by Node itself.
    ...(trustedPath === undefined ? ["--permission"] : []),
    `--input-type=module${isSource ? "-typescript" : ""}`,
    "--eval",
    fence,
  ];
  return spawn("/bin/sh", ["-c", KEEPER, process.execPath, ...node], {
    // Nothing of our environment: keys stand there.
    env: { PATH: "/usr/bin:/bin", ...(trustedPath !== undefined && { MARGAY_PLUGIN_TRUSTED: "1" }) },
    stdio: ["pipe", "ignore", "pipe", "pipe"],
    detached: true, // a Ctrl-C for us is none for it
  });
}

/**
 * Its session is a group of its own for the scheduler of Linux and would have as much of the processors as margay: `nice` counts inside
 * of a group alone. Said once it is there, so that a busy machine does not keep it from coming up.
 */
function standBehind(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, "10");
  } catch {
    // No Linux, or no groups: there `nice` says it.
  }
}

/** It keeps no margay open: whoever waits for a call has a deadline that does. */
function unref(child: ChildProcess, wire: Socket): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr, wire]) {
    stream?.on("error", () => {});
    (stream as Socket | null)?.unref(); // pipes are sockets
  }
}

/** @returns whether one more is too much. */
function floodGate(clock: Clock): () => boolean {
  let since = clock.monotonic();
  let count = 0;
  return () => {
    const now = clock.monotonic();
    if (now - since >= 1000) [since, count] = [now, 0];
    return ++count > MAX_PROGRESS_PER_SECOND;
  };
}

function lastWords(said: string): string {
  if (/heap out of memory|allocation failed/i.test(said)) return "it used up its memory";
  return "its process ended";
}
