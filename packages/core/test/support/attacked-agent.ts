// A whole agent with the file tools whose model is a raw server that answers exactly as told: what a turn did, and
// what must hold whatever was answered.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { fileTools } from "../../src/builtin.ts";
import type { TurnOutcome } from "../../src/contract/agent.ts";
import type { AgentEvent } from "../../src/contract/event.ts";
import type { Message } from "../../src/contract/message.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import { withWatchdog } from "../../src/model/watchdog.ts";
import type { RecordedRequest } from "../../src/internal-testing.ts";
import { createConversations } from "../../src/testing/mock-llm/conversations.ts";
import { brokenRules } from "../../src/testing/mock-llm/rules.ts";
import { CHAT, ofType, startAgent } from "./agent.ts";
import type { Started } from "./agent.ts";
import { finishTurn } from "./finish-turn.ts";
import type { ScriptedResponse, StreamServer } from "./stream-server.ts";
import { startStreamServer } from "./stream-server.ts";
import { readOn } from "./wire-answers.ts";
import { wireProvider } from "./wire-provider.ts";

/** One turn, seen from everywhere at once. */
export interface Played {
  readonly outcome: TurnOutcome;
  /** The text that was streamed to the person. */
  readonly shown: string;
  /** What was queued for the person. */
  readonly replies: readonly { readonly kind: string; readonly text: string }[];
  readonly records: readonly JournalRecord[];
  readonly requests: readonly RecordedRequest[];
  /** Tools that were really run, with the input they got. */
  readonly executed: readonly (readonly [name: string, input: unknown])[];
  /** What the policy was asked about. */
  readonly judged: readonly (readonly [name: string, input: unknown])[];
  /** By the clock of the agent. */
  readonly tookMs: number;
  readonly rssGrowth: number;
}
export interface Attacked {
  readonly server: StreamServer;
  /** @param answers One a request; the last is repeated. */
  turn(text: string, ...answers: readonly ScriptedResponse[]): Promise<Played>;
  /** Closes the journal and opens it again; the state must be the same. */
  reopen(): Promise<void>;
  messages(): Promise<readonly Message[]>;
  /** What must hold of everything so far: no defect, legal requests, one result per call. */
  expectSound(): Promise<void>;
}
type TestScope = Parameters<typeof startAgent>[0];

export async function startAttacked(t: TestScope, api: WireKind, key: string): Promise<Attacked> {
  const server = await startStreamServer();
  t.onTestFinished(async () => server[Symbol.asyncDispose]());
  const executed: (readonly [string, unknown])[] = [];
  const judged: (readonly [string, unknown])[] = [];
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: (call) => {
      judged.push([call.name, call.input]);
      return Promise.resolve({ kind: "allow", rule: "test" });
    },
  };
  const base = await startAgent(t);
  await writeFile(join(base.workspace, "a.txt"), "alpha\n");
  await writeFile(join(base.workspace, "b.txt"), "beta\n");
  let started = await base.restart({
    provider: withWatchdog(wireProvider({ api, url: server.url, id: "mock", key, now: base.clock.now() }), base.clock),
    tools: fileTools({ workspace: base.workspace }).map((tool) => watched(tool, executed)),
    policy,
  });
  const logs = [started.log];
  const conversations = createConversations();
  const problems: string[] = [];
  let seen = 0;

  return {
    server,
    async turn(text, ...answers) {
      const { agent, clock } = started;
      const marks = { records: (await started.records()).length, executed: executed.length, judged: judged.length };
      const at = clock.now();
      const memory = process.memoryUsage().rss;
      server.answers(...answers);
      const { outcome, events } = await finishTurn(started, agent.send(CHAT, text));
      const rssGrowth = process.memoryUsage().rss - memory;
      const records = (await started.records()).slice(marks.records);
      const requests = server.requests.slice(seen).map((request) => readOn(api, request));
      seen = server.requests.length;
      for (const request of requests) {
        if (ofType(records, "history.compacted").length > 0) conversations.expectNewEpoch("compacted");
        problems.push(...brokenRules(request), ...conversations.follow(request).problems);
      }
      return {
        outcome,
        shown: shownBy(events),
        replies: ofType(records, "reply.queued").map(({ kind, parts }) => ({
          kind,
          text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
        })),
        records,
        requests,
        executed: executed.slice(marks.executed),
        judged: judged.slice(marks.judged),
        tookMs: clock.now() - at,
        rssGrowth,
      };
    },
    async reopen() {
      const before = await messagesOf(started);
      started = await started.restart();
      logs.push(started.log);
      expect(await messagesOf(started)).toEqual(before);
    },
    messages: () => messagesOf(started),
    async expectSound() {
      expect(problems).toEqual([]);
      expect(logs.flatMap(({ lines }) => lines.filter(({ level }) => level === "error"))).toEqual([]);
      const records = await started.records();
      expectOneResultPerCall(await messagesOf(started), records);
      // The key of the provider is in no record and in no line of the log.
      expect(JSON.stringify([records, logs.map(({ lines }) => lines)])).not.toContain(key);
    },
  };
}

/** Every call that was ever stored has one result, and no result is without its call. */
export function expectOneResultPerCall(messages: readonly Message[], records: readonly JournalRecord[]): void {
  const calls = (list: readonly Message[]): readonly string[] =>
    list.flatMap((message) =>
      message.role === "assistant"
        ? message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))
        : [],
    );
  const results = messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
  expect(results.toSorted()).toEqual([...calls(messages)].toSorted());
  const finished = ofType(records, "tool.finished").map(({ message }) => message.callId);
  const asked = calls(ofType(records, "model.responded").map(({ message }) => message));
  expect(finished.toSorted()).toEqual([...asked].toSorted());
  expect(new Set(asked).size).toBe(asked.length);
}

function shownBy(events: readonly AgentEvent[]): string {
  let shown = "";
  for (const event of events) {
    if (event.type === "text.delta") shown += event.text;
    if (event.type === "text.restarted") shown = "";
  }
  return shown;
}

async function messagesOf({ agent }: Started): Promise<readonly Message[]> {
  return (await agent.sessions.find(CHAT))?.state.messages ?? [];
}

function watched(tool: Tool, executed: (readonly [string, unknown])[]): Tool {
  return {
    ...tool,
    execute: (input, context) => {
      executed.push([tool.name, input]);
      return tool.execute(input, context);
    },
  };
}
