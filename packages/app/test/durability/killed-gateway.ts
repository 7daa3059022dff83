/** The built program as a gateway that is killed with SIGKILL at chosen commits and started again over the same directory. */
import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Commit, type JsonObject } from "@margay/core";
import { readIfExists } from "@margay/core/internal";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { callsTools, type CrashPoint, type RecordedRequest, type Reply } from "@margay/core/internal/testing";
import { freePort } from "../free-port.ts";

/** The built one. */
export const PROGRAM: string = join(import.meta.dirname, "../../bin/margay.js");
const HOOK = new URL("../../../core/src/testing/crash-hook.ts", import.meta.url).href;

export interface Running {
  readonly url: string;
  /** With a code that logs a browser in. */
  readonly link: string;
  /** Of commands on this machine, for this start. */
  readonly token: string;
  /** The signal that ended it; resolves when it is gone. */
  readonly gone: Promise<NodeJS.Signals | null>;
  readonly pid: number;
  /** What it printed so far. */
  said(): string;
  kill(signal?: NodeJS.Signals): void;
}

export interface Starts {
  /** @param at Where it dies. @returns when it listens; undefined when it died before. @throws Error when it ends by itself. */
  start(at?: CrashPoint, options?: StartOptions): Promise<Running | undefined>;
  /** Kills what runs. */
  end(): Promise<void>;
}

export interface KilledGateway extends Pick<Starts, "start"> {
  readonly model: MockModel;
  readonly workspace: string;
  /** The journals of all sessions, by the name of their file. */
  journals(): ReadonlyMap<string, readonly Commit[]>;
  /** The state directory. */
  readonly home: string;
  /** Kills what runs and removes the directory. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Default: the built one. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called as soon as there is a process. */
  readonly spawned?: (child: ChildProcess) => void;
}

export interface GatewayOptions {
  /** What the model says, a function of the request alone. */
  readonly answer?: (request: RecordedRequest) => Reply;
  /** Added to `config.json`. */
  readonly config?: (workspace: string) => Promise<JsonObject> | JsonObject;
}

export async function killedGateway(options: GatewayOptions = {}): Promise<KilledGateway> {
  const model = await startMockModel();
  model.route(() => true, ...Array.from({ length: 20_000 }, () => options.answer ?? answer));
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-killed-")));
  const home = join(directory, "home");
  const workspace = join(directory, "workspace");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "alpha\n");
  const config = {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" } },
    // A message that is killed again and again would be given up at some time: that is not what is looked at here.
    agent: { requestAttempts: 10 },
    tools: { exec: { sandbox: "none" } },
    policy: {
      rules: [
        { tool: "exec", action: "allow" },
        { tool: "write_file", action: "ask" },
      ],
    },
    workspace,
    heartbeat: { enabled: false },
    gateway: { port: await freePort() }, // the same after each start: a page goes on at its address
  };
  const own = (await options.config?.(workspace)) ?? {};
  writeFileSync(join(home, "config.json"), JSON.stringify({ ...config, ...own }), { mode: 0o600 });
  const { start, end } = starts({ home, directory });
  return {
    model,
    home,
    workspace,
    journals: () => journalsOf(join(home, "sessions")),
    start,
    close: async () => {
      await end();
      await model.close().catch(() => {}); // what was wrong with the requests is among the broken promises
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Gateways over one directory, one after another. @param directory The home of their user. */
export function starts({ home, directory }: { readonly home: string; readonly directory: string }): Starts {
  const children = new Set<ChildProcess>();
  const start: Starts["start"] = async (at, { program = PROGRAM, environment = {}, spawned = () => {} } = {}) => {
    const hook = at === undefined ? [] : ["--import", HOOK];
    const child = spawn(process.execPath, [...hook, program, "gateway", "--no-open"], {
      env: {
        ...process.env,
        MARGAY_HOME: home,
        HOME: directory,
        NO_COLOR: "1",
        ...environment,
        ...(at !== undefined && { MARGAY_CRASH_AT: `${at.when}:${at.commit}`, MARGAY_CRASH_FILE: "sessions" }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    spawned(child);
    let isGone = false;
    const gone = new Promise<NodeJS.Signals | null>((resolve) => {
      child.once("close", (_code, signal) => {
        children.delete(child);
        isGone = true;
        resolve(signal);
      });
    });
    let text = "";
    const listening = new Promise<string>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          const link = /http:\S+#login=\S+/.exec(text)?.[0];
          if (link !== undefined) resolve(link);
        });
    });
    const link = await Promise.race([listening, gone]);
    const isStopped = (): boolean => child.signalCode !== null || child.exitCode === 0;
    if (isGone && !isStopped()) throw new Error(`the gateway ended by itself: ${text}`);
    const note = isGone ? undefined : readIfExists(join(home, "gateway.json"))?.toString("utf8");
    if (note === undefined) {
      await gone; // it was told to stop as soon as it listened, or before
      return undefined;
    }
    const { url, token } = JSON.parse(note) as Pick<Running, "url" | "token">; // written by the gateway
    return {
      url,
      link: link ?? "",
      token,
      pid: child.pid ?? 0,
      gone,
      said: () => text,
      kill: (signal = "SIGKILL") => child.kill(signal),
    };
  };
  return {
    start,
    end: async () => {
      await Promise.all(
        [...children].map(
          (child) =>
            new Promise((resolve) => {
              child.once("close", resolve);
              child.kill("SIGKILL");
            }),
        ),
      );
    },
  };
}

/** What the n-th message says. */
export function messageText(n: number): string {
  return `message ${n}.`;
}

/** What the n-th answer says. */
export function answerText(n: number): string {
  return `Answer ${n}.`;
}

/** Two reads beside each other; a command; a write that waits for a person; the answer. A function of the request alone. */
function answer({ messages }: RecordedRequest): ReturnType<typeof says> {
  const numbers = messages.map(({ role, parts }) => {
    const said = role === "user" ? parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") : "";
    return /message (\d+)\./.exec(said)?.[1];
  });
  const last = numbers.findLastIndex((number) => number !== undefined);
  const n = Number(numbers[last]);
  const results = messages.slice(last).flatMap(({ parts }) => parts.filter(({ type }) => type === "result"));
  switch (results.length) {
    case 0:
      return callsTools(
        [
          { name: "list_dir", args: { path: "." } },
          { name: "read_file", args: { path: "a.txt" } },
        ],
        { text: "Looking. " },
      );
    case 2:
      return callsTool("exec", { command: `echo ${n} >> ran` });
    case 3:
      return callsTool("write_file", { path: `note-${n}.txt`, content: `note ${n}\n` });
    default:
      return says(answerText(n), { chunks: 3 });
  }
}

export function journalsOf(folder: string): ReadonlyMap<string, readonly Commit[]> {
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".journal"));
  return new Map(
    names.map((name) => [
      name,
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .slice(0, -1) // what has no end is being written
        .map((line) => JSON.parse(line) as Commit), // written by the program
    ]),
  );
}
