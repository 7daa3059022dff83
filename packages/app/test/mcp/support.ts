// An agent with MCP servers: real composition, real processes, a scripted model.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@margay/core";
import { startMockModel, type MockModel } from "@margay/core/testing";
import { onTestFinished } from "vitest";
import type { App } from "../../src/app.ts";
import { compose } from "../../src/compose/compose.ts";
import { loadConfig } from "../../src/config/load.ts";
import { placesOf } from "../../src/config/paths.ts";
import { translator } from "../../src/texts/translate.ts";
import type { Margay, RunOptions } from "../cli/harness.ts";

export interface FakeTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: JsonObject;
}
/** What `fake-server-program.ts` reads. */
export interface FakeBehavior {
  readonly tools: readonly FakeTool[];
  /** What it was started for and asked, a line each. */
  readonly protocolLog: string;
  /** It ends as soon as it is started. */
  readonly broken?: boolean;
  /** It answers `initialize` when this file exists. */
  readonly wait?: string;
  /** What it says about itself as a whole. */
  readonly instructions?: string;
  /** It offers resources and prompts too. */
  readonly more?: boolean;
  /** It prints beside the protocol. */
  readonly noise?: boolean;
  /** It ignores SIGTERM and the end of its input. */
  readonly stubborn?: boolean;
  /** Its list has one tool on a page. */
  readonly paged?: boolean;
  /** What tools of these names say, whatever they are asked. */
  readonly answers?: Readonly<Record<string, string>>;
  /** What tools of these names fail with, as an error of the protocol. */
  readonly faults?: Readonly<Record<string, string>>;
}

export interface FakeServer {
  readonly config: JsonObject;
  behave(change: Partial<FakeBehavior>): void;
  /** Lines of its protocol log. */
  lines(): readonly string[];
  pids(): readonly number[];
  /** How many processes of this machine were started for it: its ids inside of the sandbox are others. */
  running(): number;
  /** Resolves when the line was logged. */
  logged(line: string): Promise<void>;
}

export const ECHO: FakeTool = {
  name: "echo",
  description: "Says what it was told.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
};

const FAKE = fileURLToPath(new URL("fake-server-program.ts", import.meta.url));

export function temporary(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-mcp-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function fakeServer(behavior: Partial<FakeBehavior> = {}): FakeServer {
  const directory = temporary();
  chmodSync(directory, 0o777); // root confines programs under another account
  const file = join(directory, "behavior.json");
  const protocolLog = join(directory, "protocol.log");
  writeFileSync(protocolLog, "");
  chmodSync(protocolLog, 0o666);
  const writable = [directory];
  if (behavior.wait !== undefined) {
    chmodSync(dirname(behavior.wait), 0o777);
    writable.push(dirname(behavior.wait));
  }
  let current: FakeBehavior = { tools: [ECHO], protocolLog, ...behavior };
  const write = (): void => writeFileSync(file, JSON.stringify(current));
  write();
  const lines = (): readonly string[] => readFileSync(protocolLog, "utf8").trim().split("\n");
  return {
    config: { command: process.execPath, args: [FAKE, file], writable },
    behave: (change) => {
      current = { ...current, ...change };
      write();
    },
    lines,
    pids: () => lines().flatMap((line) => (line.startsWith("start ") ? [Number(line.slice(6))] : [])),
    running: () =>
      readdirSync("/proc").filter((name) => {
        try {
          return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(file);
        } catch {
          return false; // ended meanwhile
        }
      }).length,
    logged: (line) => becomes(protocolLog, () => lines().includes(line)),
  };
}

/** Resolves when `holds`, asked after each change of the file. */
export function becomes(file: string, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(file), () => check());
    const check = (): void => {
      if (!existsSync(file) || !holds()) return;
      watcher.close();
      resolve();
    };
    check();
  });
}

/** A server of the protocol's authors, started as operators start it. */
export function referenceServer(name: "everything" | "filesystem", ...args: readonly string[]): JsonObject {
  const manifest =
    name === "everything"
      ? import.meta.resolve("@modelcontextprotocol/server-everything/package.json")
      : import.meta.resolve("@modelcontextprotocol/server-filesystem/package.json");
  return { command: process.execPath, args: [join(dirname(fileURLToPath(manifest)), "dist/index.js"), ...args] };
}

export interface McpApp {
  readonly app: App;
  readonly model: MockModel;
  readonly home: string;
  /** Events of the log so far. */
  readonly events: readonly JsonObject[];
  /** Resolves when there is one of that name, about that server if one is named. */
  logged(event: string, server?: string): Promise<JsonObject>;
  /** Says yes to every server that was never approved, as a person does: to what it says of itself now. Starts them. */
  approve(): Promise<void>;
  /** @returns what the model got as the results of its calls in the last request. */
  ask(text: string, session?: string): Promise<readonly string[]>;
  /** Names of the MCP tools in the last request. */
  offered(): readonly string[];
}

/** The same on the command line: `margay mcp approve NAME`, and a person who types y. Before the first message. */
export async function approveByCommand(app: Margay, options: RunOptions = {}): Promise<void> {
  const { out } = await app.run(["mcp", "list", "--json"], options);
  for (const { name } of JSON.parse(out) as readonly { readonly name: string }[]) {
    const approved = await app.run(["mcp", "approve", name], { ...options, person: () => Promise.resolve("y") });
    if (approved.code !== 0) throw new Error(`${name} was not approved: ${approved.err}`);
  }
}

export interface McpAppOptions {
  readonly home?: string;
  readonly model?: MockModel;
  readonly config?: JsonObject;
  /** Default: MCP tools run unasked. */
  readonly rules?: readonly JsonObject[];
  /** `false`: nobody approves a server. Otherwise `ask` has it done first. */
  readonly approve?: false;
}

/** A person who looks at every server that nobody approved yet, and says yes to what it says of itself now. */
export async function approveNew({ inside }: App): Promise<void> {
  await inside.mcp?.ready(new AbortController().signal);
  for (const { name, state } of inside.mcp?.status() ?? []) {
    if (state !== "unapproved") continue;
    const review = await inside.serverReviews.look(name);
    if (typeof review !== "object") throw new Error(`${name} says nothing of itself`);
    if (!(await inside.serverReviews.approve(name, review.hash, "test"))) throw new Error(`${name} was not approved`);
  }
}

export async function mcpApp(mcpServers: JsonObject, options: McpAppOptions = {}): Promise<McpApp> {
  const home = options.home ?? join(temporary(), "home");
  const model = options.model ?? (await startMockModel());
  if (options.model === undefined) onTestFinished(() => model.close());
  mkdirSync(home, { recursive: true });
  const places = placesOf({ flag: home, env: {}, userHome: home, currentDirectory: home });
  const mock = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" };
  const config: JsonObject = {
    model: "mock/mock-model",
    providers: { mock },
    policy: { rules: options.rules ?? [{ tool: "mcp_*", action: "allow" }] },
    mcpServers,
    mcp: { connectTimeoutSeconds: 60 }, // a busy machine starts them late; no test waits for it
    ...options.config,
  };
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SECRET_OF_MARGAY: "not for servers" };
  const loaded = loadConfig({ places, env, userHome: home, t: translator("en"), object: config });
  const events: JsonObject[] = [];
  const waiting = new Set<() => void>();
  const app = await compose({
    loaded,
    language: "en",
    env,
    writeLog: (line) => {
      events.push(JSON.parse(line) as JsonObject);
      for (const look of waiting) look();
    },
  });
  onTestFinished(() => app[Symbol.asyncDispose]());
  return {
    app,
    model,
    home,
    events,
    logged: (name, server) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(
            (one) => one["event"] === name && (server === undefined || one["server"] === server),
          );
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    approve: () => approveNew(app),
    ask: async (text, session = "cli:direct") => {
      if (options.approve !== false) await approveNew(app);
      await app.agent.send(session, text).finished;
      return model.requests.at(-1)?.toolResults.map((result) => result.text) ?? [];
    },
    offered: () => namesOf(model).filter((name) => name.startsWith("mcp_")),
  };
}

/** Names of the tools in the last request. */
export function namesOf(model: MockModel): readonly string[] {
  const tools = (model.requests.at(-1)?.body["tools"] ?? []) as readonly {
    readonly function: { readonly name: string };
  }[];
  return tools.map((tool) => tool.function.name);
}
