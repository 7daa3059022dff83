// Plays a random history against a real agent, and says what must hold after any of them.
import { expect } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import type { Turn } from "../../src/contract/agent.ts";
import type { AgentEvent } from "../../src/contract/event.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { Script } from "../../src/internal-testing.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { withWatchdog } from "../../src/model/watchdog.ts";
import { CHAT, ofType, startAgent, tool } from "./agent.ts";
import type { Started } from "./agent.ts";
import { expectOneResultPerCall } from "./attacked-agent.ts";
import { HELD, replyOf } from "./random-script.ts";
import type { History, Interruption } from "./random-script.ts";
import { WIRES } from "./wires.ts";

const OPERATOR = { id: "user", kind: "person" } as const;
/** Longer than any planned history needs; a turn that still goes on never ends. */
const MAX_WAITS = 400;
const policy: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: ({ name }) =>
    Promise.resolve(
      name === "guarded"
        ? { kind: "ask", rule: "test", prompt: "May I?", expiresInMs: 60_000 }
        : { kind: "allow", rule: "test" },
    ),
};

/** @throws AssertionError when a turn does not end, a request is illegal, or the journal holds a loose end. */
export async function playHistory(wire: string, { answers, messages, approvals, settings }: History): Promise<void> {
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const paid: CallId[] = [];
    const scope = { onTestFinished: (cleanup: () => Promise<void>) => void cleanups.push(cleanup) };
    const base = await startAgent(scope);
    const connect = WIRES[wire];
    if (connect === undefined) throw new Error(`no wire ${wire}`);
    const game = createGame(
      await base.restart({
        provider: withWatchdog(connect(base.model, base.clock), base.clock),
        policy,
        settings,
        tools: [
          tool("note"),
          tool("pay", "write", (_, { callId }) => (paid.push(callId), "paid")),
          tool("keep", "idempotent"),
          tool("odd", "write", () => Promise.reject(new Error("odd"))),
          tool("flaky", "read", () => Promise.reject(new RuntimeError("tool.failed", "flaky", { retryable: true }))),
          tool("big", "read", () => "lorem ipsum ".repeat(1000)),
          tool("guarded", "write"),
        ],
      }),
      approvals,
    );
    base.model.replies(
      ...answers.map((item): Script => (request) => {
        if (item.does === "holds") game.held(request.closedEarly);
        return replyOf(item);
      }),
    );
    for (const { interruptions } of messages) await game.message(interruptions);
    expect([...(await game.end()), ...base.model.takeViolations()].join("\n")).toBe("");
    expect(new Set(paid).size, "a call with an effect ran twice").toBe(paid.length);
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

interface Game {
  /** An answer is held back from now on: time goes on until its client is gone. */
  held(gone: Promise<unknown>): void;
  /** Sends a message and lets the session come to rest. */
  message(interruptions: readonly { readonly at: number; readonly does: Interruption }[]): Promise<void>;
  /** Checks what was left behind. @returns what is wrong. */
  end(): Promise<readonly string[]>;
}

function createGame(first: Started, approvals: History["approvals"]): Game {
  let started = first;
  const verdicts = [...approvals];
  const turns: Promise<unknown>[] = [];
  const running: Promise<unknown>[] = [];
  let planned: { readonly at: number; readonly does: Interruption }[] = [];
  let count = 0;
  let restart = Promise.withResolvers<"restart">();
  let restarting = false;
  let leave = (): void => {};

  /** Resolves when the message was accepted or refused. */
  const follow = (turn: Turn): Promise<unknown> => {
    turns.push(turn.finished.catch((error: unknown) => error));
    return turn[Symbol.asyncIterator]().next();
  };
  /** Goes on beside the session; what was asked of an agent that is closed meanwhile may fail. */
  const beside = (work: Promise<unknown>): void => {
    const { agent } = started;
    running.push(
      work.catch((error: unknown) => {
        if (agent === started.agent && !restarting) throw error;
      }),
    );
  };
  const interrupt = (does: Interruption): void => {
    const { agent } = started;
    if (does === "restart") restart.resolve("restart");
    else if (does === "steer") beside(follow(agent.send(CHAT, "By the way…")));
    else beside(agent.control(CHAT, { type: "stop", withdraw: does === "stop and withdraw" }, OPERATOR));
  };
  const answerPerson = async (call: CallId, expiresAt: number): Promise<void> => {
    const { agent, clock } = started;
    const verdict = verdicts.shift() ?? "deny";
    await agent.idle(); // The question is durable, and nothing else runs.
    if (verdict === "expire") await clock.advance(Math.max(0, expiresAt - clock.now()));
    else await agent.control(CHAT, { type: verdict, call }, OPERATOR);
  };
  /** Time goes on until the deadline of the silent answer has struck, or something else ended it. */
  const waitOut = async (gone: Promise<unknown>): Promise<void> => {
    let over = false;
    const ended = gone.then(() => (over = true));
    while (!over) await started.clock.advance(30_000);
    await ended;
  };
  const onEvent = (event: AgentEvent): void => {
    const { model, clock } = started;
    if (event.type === "prefix.frozen" && event.because !== "opened") model.expectNewEpoch(event.because);
    if (event.type === "text.delta" && event.text === `${HELD}stop`) interrupt("stop");
    if (event.type === "call.judged" && event.verdict === "ask")
      beside(answerPerson(event.call, event.expiresAt ?? clock.now()));
    if (restarting) return;
    count++;
    for (const item of planned.filter(({ at }) => at === count)) interrupt(item.does);
  };
  const listen = async (): Promise<void> => {
    const session = await started.agent.sessions.open(CHAT, { channel: "test", chat: "1" });
    leave = session.subscribe(onEvent);
  };
  /** Until nothing runs and nothing waits; the clock goes to whatever is awaited next. */
  const rest = async (): Promise<void> => {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const why = await Promise.race([started.agent.idle(), restart.promise]);
      if (why === "restart") {
        restart = Promise.withResolvers();
        restarting = true;
        const leaveOld = leave; // What the old agent still commits is heard.
        started = await started.restart();
        leaveOld();
        restarting = false;
        await listen();
        await started.agent.resume();
        continue;
      }
      await Promise.all(running.splice(0));
      const state = (await started.agent.sessions.find(CHAT))?.state;
      if (state?.turn === undefined && state?.pending.length === 0) return;
      await started.clock.advance(started.clock.pending()[0] ?? 0);
    }
    const { turn } = (await started.agent.sessions.find(CHAT))?.state ?? {};
    throw new Error(`the session never comes to rest: ${JSON.stringify([turn, (await started.records()).slice(-6)])}`);
  };

  return {
    held: (gone) => beside(waitOut(gone)),
    async message(interruptions) {
      leave();
      await listen();
      count = 0;
      planned = [...interruptions];
      await follow(started.agent.send(CHAT, "go on"));
      await rest();
      planned = [];
    },
    async end() {
      await Promise.all(turns); // Each of them has ended, or its agent was closed.
      const records = await started.records();
      const before = (await started.agent.sessions.find(CHAT))?.state;
      const { log } = started;
      leave();
      started = await started.restart();
      expect((await started.agent.sessions.find(CHAT))?.state, "another state after a restart").toEqual(before);
      expectOneResultPerCall(before?.messages ?? [], records);
      const ended = ofType(records, "turn.ended");
      expect(ended.map(({ turn }) => turn)).toEqual(ofType(records, "turn.started").map(({ turn }) => turn));
      expect(answersLost(records), "answers that did not end their turn").toEqual([]);
      const replies = new Set(ofType(records, "reply.queued").map(({ reply }) => reply));
      return [
        ...ended
          .filter(({ turn, reason }) => reason !== "cancelled" && !replies.has(`${turn}:reply`))
          .map(({ reason }) => `a turn ended without a reply (${reason})`),
        ...log.lines
          .filter(({ level }) => level === "error")
          .map(({ event, data }) => `${event} ${JSON.stringify(data)}`),
      ];
    },
  };
}

/** Texts without calls that were followed by another request of their turn instead of being delivered (R419). */
function answersLost(records: readonly JournalRecord[]): readonly string[] {
  const lost: string[] = [];
  let answer = "";
  for (const record of records) {
    if (record.type === "turn.started" || record.type === "turn.ended") answer = "";
    if (record.type === "model.requested" && answer !== "") lost.push(answer);
    if (record.type !== "model.responded") continue;
    const { parts, finish } = record.message;
    const text = parts.map((part) => (part.type === "text" ? part.text.trim() : "")).join("");
    answer =
      finish === "stop" && record.dropped === undefined && parts.every(({ type }) => type !== "tool-call") ? text : "";
  }
  return lost;
}
