// A whole agent for a test: real journal in a directory of its own, real HTTP to the mock model, time that stands still.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Agent, Turn } from "../../src/contract/agent.ts";
import type { AgentOptions, AgentSettings } from "../../src/contract/agent-options.ts";
import type { AgentEvent } from "../../src/contract/event.ts";
import type { JsonObject } from "../../src/contract/base.ts";
import type { Memory } from "../../src/contract/memory.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { Effect, Tool, ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { createAgent } from "../../src/create-agent.ts";
import { openMemory } from "../../src/memory/memory.ts";
import { withWatchdog } from "../../src/model/watchdog.ts";
import type { MockModel } from "../../src/testing.ts";
import type { FakeClock, RecordedRequest } from "../../src/internal-testing.ts";
import { fakeClock, startMockModel } from "../../src/testing.ts";
import { defineTool } from "../../src/tools/define.ts";
import { collectingLog } from "./log.ts";
import type { CollectingLog } from "./log.ts";
import { temporaryFolder } from "./folder.ts";
import { chatProvider } from "./wires.ts";

export interface StartOptions extends Partial<
  Omit<AgentOptions, "directory" | "workspace" | "settings" | "clock" | "log">
> {
  readonly settings?: Partial<AgentSettings>;
  /** MEMORY.md and HISTORY.md in the workspace. */
  readonly keepsMemory?: boolean;
  /** Each attempt at a request has its deadlines, as in the program. */
  readonly deadlines?: boolean;
}
export interface Started {
  readonly agent: Agent;
  readonly model: MockModel;
  readonly clock: FakeClock;
  readonly log: CollectingLog;
  readonly home: string;
  readonly workspace: string;
  /** Everything the session committed, in order. */
  records(sessionKey?: string): Promise<readonly JournalRecord[]>;
  /** Closes the agent and opens another on the same directory, as a restart does. */
  restart(options?: StartOptions): Promise<Started>;
}
/** What `test` of vitest passes to a test. */
interface TestScope {
  onTestFinished(cleanup: () => Promise<void>): void;
}

/** The session of tests that need one. */
export const CHAT = "test:1";
const ALLOW_ALL: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

export async function startAgent(t: TestScope, options: StartOptions = {}): Promise<Started> {
  const folder = await temporaryFolder();
  const model = await startMockModel();
  const clock = fakeClock();
  t.onTestFinished(async () => {
    try {
      await model.close();
    } finally {
      await folder[Symbol.asyncDispose]();
    }
  });
  await mkdir(folder.at("workspace"));
  return open(t, options, { model, clock, home: folder.at("home"), workspace: folder.at("workspace") });
}

function open(
  t: TestScope,
  { keepsMemory = false, deadlines = false, ...options }: StartOptions,
  base: Pick<Started, "model" | "clock" | "home" | "workspace">,
): Started {
  const log = collectingLog();
  const provider = chatProvider(base.model, base.clock);
  const agent = createAgent({
    directory: base.home,
    workspace: base.workspace,
    provider: deadlines ? withWatchdog(provider, base.clock) : provider,
    model: { provider: "mock", model: "mock-model" },
    policy: ALLOW_ALL,
    clock: base.clock,
    log,
    ...(keepsMemory && { memory: memoryIn(base) }),
    ...options,
  });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await agent[Symbol.asyncDispose]();
  };
  t.onTestFinished(close); // hooks run in reverse: before the model and the directory go
  return {
    ...base,
    agent,
    log,
    async records(sessionKey = CHAT) {
      const records: JournalRecord[] = [];
      const session = await agent.sessions.find(sessionKey);
      if (session !== undefined) for await (const commit of session.history()) records.push(...commit.records);
      return records;
    },
    async restart(changed = {}) {
      await close();
      return open(t, { keepsMemory, deadlines, ...options, ...changed }, base);
    },
  };
}

function memoryIn({ home, workspace }: Pick<Started, "home" | "workspace">): Memory {
  return openMemory({
    workspace,
    versions: join(home, "memory"),
    timeZone: "UTC",
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  });
}

/** A tool that takes `n` and `round`, whatever they are; without `execute` it answers `done`. */
export function tool(
  name: string,
  effect: Effect = "read",
  execute: (input: JsonObject, context: ToolContext) => Promise<ToolResult> | ToolResult = () => "done",
): Tool {
  return defineTool<JsonObject>({
    name,
    description: `The ${name} tool of a test.`,
    input: { type: "object", properties: { n: {}, round: {} } },
    effect,
    execute: async (input, context) => execute(input, context),
  });
}

/** A turn's events, read until its end. */
export async function eventsOf(turn: Turn): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

export function ofType<T extends JournalRecord["type"]>(
  records: readonly JournalRecord[],
  type: T,
): readonly Extract<JournalRecord, { type: T }>[] {
  return records.filter((record): record is Extract<JournalRecord, { type: T }> => record.type === type);
}

/** How often a text stands in the messages of a request. */
export function occurrences(request: RecordedRequest | undefined, text: string): number {
  return (request?.messages ?? [])
    .flatMap((message) => message.parts)
    .filter((part) => part.type === "text" && part.text.includes(text)).length;
}
