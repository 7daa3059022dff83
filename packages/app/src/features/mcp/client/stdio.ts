/** A server of our own, spoken to line by line: clean environment, a process group of its own, gone when we are. */
import { spawn, type ChildProcess } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ConfinedServer } from "./confine.ts";
import { RuntimeError, type Clock, type Logger } from "@margay/core";
import { messageOf, never } from "@margay/core/internal";

export interface StdioOptions {
  /** Confines the program; absent: the operator wants it to have all rights. */
  readonly confine?: (env: Readonly<Record<string, string>>) => Promise<ConfinedServer>;
  readonly command: string;
  readonly args: readonly string[];
  /** All of it: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
}

const MAX_LINE_CHARS = 10 * 1024 * 1024;
/** What a program prints beside the protocol is logged, this much of a line. */
const MAX_NOISE_CHARS = 300;
/** After its input ended, and again after SIGTERM. */
const GRACE_MS = 1_000;
const POLL_MS = 20;
/**
 * Waits for its input to end, which it does when this process dies, however that happens; then ends the group. A server
 * that ignores the end of its own input would otherwise live on.
 */
const GUARD = 'read -r _; kill -TERM "-$1" 2>/dev/null; sleep 1; kill -KILL "-$1" 2>/dev/null';

/** A transport that also knows what its program printed on stderr, the end of it. */
export interface StdioTransport extends Transport {
  /** All of it, when the program has ended: that it reads no more is known before its last words are. */
  said(): Promise<string>;
  /** As that of a confined program. */
  keepAside: ConfinedServer["keepAside"];
}

/** Its output ends with it, unless something that it started holds it open. */
const LAST_WORDS_MS = 1000;
/** Of what it printed, in an error. */
const MAX_SAID_CHARS = 600;

/** The transport is used once: a new connection starts a new process. */
export function stdioTransport(options: StdioOptions): StdioTransport {
  const { clock, log } = options;
  let said = "";
  const over = Promise.withResolvers<void>();
  /** One that never answered has nothing to save. */
  let answered = false;
  let server: ChildProcess | undefined;
  let guard: ChildProcess | undefined;
  let closing: Promise<void> | undefined;
  let confined: ConfinedServer | undefined;
  const transport: StdioTransport = {
    said: async () => {
      using _late = clock.timer(LAST_WORDS_MS, over.resolve);
      if (server?.pid !== undefined) await over.promise;
      return said.trim();
    },
    keepAside: () => confined?.keepAside(),
    start: async () => {
      confined = await options.confine?.(options.env);
      const [command, ...args] = confined?.argv ?? [options.command, ...options.args];
      const child = spawn(command, args, {
        env: { ...(confined?.environment ?? options.env) },
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        shell: false,
      });
      server = child;
      try {
        await spawned(child, options.command);
      } catch (error) {
        await confined?.[Symbol.asyncDispose]();
        throw error;
      }
      const release = watch(child, confined, log);
      guard = startGuard(child.pid ?? 0);
      child.stdin?.on("error", (error) => transport.onerror?.(error)); // a server that died reads no more
      readLines(child, "stdout", (line) => {
        answered = receive(line, transport, log) || answered;
      });
      readLines(child, "stderr", (line) => {
        said = `${said}\n${line.slice(0, MAX_NOISE_CHARS)}`.slice(-MAX_SAID_CHARS);
        log.debug("mcp.stderr", { line: line.slice(0, MAX_NOISE_CHARS) });
      });
      child.on("error", (error) => transport.onerror?.(error));
      child.once("exit", (code, signal) => {
        if (closing === undefined) log.warn("mcp.exited", { code, signal });
        killGroup(child.pid, "SIGKILL"); // what it started and left behind
        guard?.kill("SIGKILL");
        release();
      });
      child.once("close", () => {
        over.resolve();
        transport.onclose?.();
      });
    },
    send: (message) =>
      new Promise<void>((resolve, reject) => {
        const stdin = server?.stdin;
        if (stdin === null || stdin === undefined || !stdin.writable)
          reject(Object.assign(new Error("the server's process has ended"), { code: "EPIPE" }));
        else stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    // Whoever closes it too waits for the same end: the library has begun to close what it could not connect.
    close: () => (closing ??= close()),
  };
  const close = async (): Promise<void> => {
    if (server !== undefined && answered) await end(server, clock);
    else killGroup(server?.pid, "SIGKILL");
    guard?.kill("SIGKILL");
  };
  return transport;
}

/** Ends a confined program that takes too much. @returns what to call when it has ended. */
function watch(child: ChildProcess, confined: ConfinedServer | undefined, log: Logger): () => void {
  if (confined === undefined) return () => {};
  const guard = async (): Promise<void> => {
    const held = await confined.hold(child.pid ?? 0);
    log.warn("mcp.exceeded", { reason: await held.exceeded });
    killGroup(child.pid, "SIGKILL");
  };
  guard().catch((error: unknown) => log.warn("mcp.watch", { message: messageOf(error) }));
  const release = async (): Promise<void> => confined[Symbol.asyncDispose]();
  return () => void release().catch((error: unknown) => log.warn("mcp.release", { message: messageOf(error) }));
}

function spawned(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) =>
      reject(
        new RuntimeError("mcp.failed", `${command} could not be started (${messageOf(error)}). Check the command.`, {
          cause: error,
        }),
      ),
    );
  });
}

function startGuard(pid: number): ChildProcess {
  const guard = spawn("/bin/sh", ["-c", GUARD, "margay-mcp-guard", String(pid)], {
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // a Ctrl-C for us is none for it
  });
  guard.on("error", () => {}); // no shell (Windows): a killed margay may leave the server behind
  guard.unref();
  const stdin: ChildProcess["stdin"] | undefined = guard.stdin; // undefined: there was no descriptor left
  stdin?.on("error", () => {});
  if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return guard;
}

function readLines(child: ChildProcess, name: "stdout" | "stderr", take: (line: string) => void): void {
  const stream = child[name];
  let rest = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (chunk: string) => {
    rest += chunk;
    if (rest.length > MAX_LINE_CHARS && !rest.includes("\n")) {
      rest = "";
      killGroup(child.pid, "SIGKILL"); // it would fill our memory
      return;
    }
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(line);
  });
  stream?.on("error", () => {}); // `close` of the process follows
}

/** Whatever is not a message of the protocol is noise. @returns whether it was one. */
function receive(line: string, transport: Transport, log: Logger): boolean {
  const message = parse(line);
  if (message === undefined) log.warn("mcp.noise", { line: line.slice(0, MAX_NOISE_CHARS) });
  else transport.onmessage?.(message);
  return message !== undefined;
}

function parse(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
    return isMessage ? (value as JSONRPCMessage) : undefined; // its kind is checked by the protocol library
  } catch {
    return undefined; // a log line
  }
}

/** End of input, then SIGTERM, then SIGKILL: to the whole group. */
async function end(child: ChildProcess, clock: Clock): Promise<void> {
  child.stdin?.end();
  const unending = never();
  const waitUntilGone = async (): Promise<boolean> => {
    for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
      if (!isRunning(child)) return true;
      await clock.sleep(POLL_MS, unending);
    }
    return !isRunning(child);
  };
  if (!(await waitUntilGone())) {
    killGroup(child.pid, "SIGTERM");
    await waitUntilGone();
  }
  killGroup(child.pid, "SIGKILL");
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left: that is what was wanted.
  }
}
