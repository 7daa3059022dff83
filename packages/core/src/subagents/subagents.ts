/** Background work: a child session per spawn, with an id derived from the call, its own tools and its own lanes. */
import type { SpawnRequest, StoppedChild, SubagentView } from "../contract/agent.ts";
import type { SubagentOptions } from "../contract/agent-options.ts";
import type { Clock, Logger, SessionId } from "../contract/base.ts";
import type { Accepted, InboundMessage } from "../contract/bus.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { Agents } from "../contract/room.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { ToolResult } from "../contract/tool.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { MAIN } from "../lib/audience.ts";
import { marksOf } from "../lib/labels.ts";
import type { Lanes } from "../lib/async/lanes.ts";
import { untilIdle, isIdle } from "../session/idle.ts";
import { createConversationLanes } from "../loop/lane.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { endOf, lastSteps, outcomeText } from "./outcome.ts";
import { childName } from "../lib/child-name.ts";
import type { drive } from "../loop/loop.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";
import type { AgentEvent } from "../contract/event.ts";

/** The channel that children answer on: what is "sent" there arrives in the parent's inbox. */
export const SUBAGENT = "subagent";

export interface SubagentDeps {
  readonly options: SubagentOptions;
  readonly agents: Agents | undefined;
  /** Of the room of a child. */
  readonly deps: (state: SessionState) => LoopDeps;
  readonly drive: typeof drive;
  /** A child's turn came to rest. */
  readonly rested: (sessionKey: string) => void;
  readonly open: (key: string, origin: Address, parent: NonNullable<SessionState["parent"]>) => Promise<Session>;
  readonly find: (key: string) => Promise<Session | undefined>;
  readonly byId: (id: SessionId) => Session | undefined;
  readonly accept: (message: InboundMessage) => Promise<Accepted>;
  readonly stop: (session: Session, by: Sender) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Subagents {
  readonly lanes: Lanes;
  /** Whether a child works or its end is being reported. */
  readonly busy: boolean;
  /** Resolves when neither is so. */
  idle(): Promise<void>;
  readonly channel: Channel;
  /** Starts or, after a crash, finds again. With `wait` the result itself. @returns text for the model. */
  spawn(request: SpawnRequest): Promise<ToolResult>;
  list(parent: SessionId): readonly SubagentView[];
  /** @returns which were stopped. */
  stopAll(parent: SessionId): Promise<readonly StoppedChild[]>;
  cancel(key: string): Promise<boolean>;
  /** A session found at start: a child that was at work goes on. */
  adopt(session: Session): void;
}

interface Child {
  readonly session: Session;
  readonly label: string;
  /** It is at work no longer. */
  readonly end: () => void;
}

interface SubagentsState extends SubagentDeps {
  readonly running: Map<string, Child>;
  /** Ends that are being reported. */
  readonly reports: Set<Promise<void>>;
}

export function createSubagents(given: SubagentDeps): Subagents {
  const state: SubagentsState = { ...given, running: new Map(), reports: new Set() };
  const { running, reports } = state;
  const { options, find, drive, rested, clock, log } = given;
  const deps = (child: SessionState): LoopDeps => childDeps(given, child);
  const lanes = createConversationLanes({ concurrency: options.concurrency, find, drive, deps, rested, clock, log });
  return {
    lanes,
    get busy() {
      return lanes.busy || reports.size > 0;
    },
    idle: async () => {
      await lanes.idle();
      await Promise.allSettled(reports);
    },
    channel: channelOf(state),
    spawn: (request) => spawn(state, request),
    list: (parent) => childrenOf(state, parent).map(viewOf),
    stopAll: (parent) => stopAll(state, parent),
    cancel: async (key) => {
      const child = running.get(key);
      if (child === undefined) return false;
      await report(state, child.session, child.label, "cancelled");
      return true;
    },
    adopt: (session) => {
      if (session.state.parent !== undefined && !isIdle(session.state)) watch(state, session, labelOf(session.state));
    },
  };
}

function childDeps({ deps, options }: SubagentDeps, child: SessionState): LoopDeps {
  const parents = deps(child);
  return {
    ...parents,
    ...(child.audience === undefined &&
      parents.agent === undefined && { tools: options.tools, context: options.context }),
    memory: undefined, // a child's rows are its parent's business: they are summarized and not remembered
    behind: false,
    settings: { ...parents.settings, maxIterations: options.maxIterations(), steering: false },
  };
}

/** What children answer becomes a message to their parent. */
function channelOf(state: SubagentsState): Channel {
  return {
    id: SUBAGENT,
    can: { once: "no", text: { dialect: "markdown", max: Number.POSITIVE_INFINITY } },
    run: () => Promise.resolve(),
    send: async (message) => {
      if (message.kind !== "reply" && message.kind !== "error") return undefined;
      const session = await state.find(message.to.chat);
      if (session === undefined) return undefined;
      const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      const outcome = outcomeText(labelOf(session.state), text, await endOf(session), session.state.messages);
      await tell(state, session, outcome);
      return undefined;
    },
  };
}

async function spawn(state: SubagentsState, request: SpawnRequest): Promise<ToolResult> {
  const { options, running } = state;
  const parent = state.byId(request.session);
  if (parent === undefined) return "Error: the session is gone. Next: do the task yourself.";
  const names = state.agents?.names(parent.state.audience);
  if (request.agent !== undefined && names?.includes(request.agent) !== true)
    return `Error: there is no agent ${JSON.stringify(request.agent)} here. Next: use one of ${[MAIN, ...(names ?? [])].join(", ")}.`;
  const key = `${SUBAGENT}:${parent.state.key}#${request.call}`;
  const origin: Address = { channel: SUBAGENT, chat: key };
  const session = await state.open(key, origin, {
    session: request.session,
    call: request.call,
    ...(request.wait && { wait: true }),
  });
  // In the room of its parent, from its first request on.
  const { audience } = parent.state;
  if (audience !== undefined && session.state.audience === undefined)
    await session.commit({ type: "audience.set", audience });
  const agent = childAgent(parent.state.bound?.agent, request.agent);
  if (agent !== undefined && session.state.agent === undefined)
    await session.commit({ type: "session.configured", agent, reset: false });
  const queued = running.size >= options.concurrency();
  watch(state, session, request.label);
  await state.accept({
    key: "task",
    origin,
    sessionKey: key,
    from: { id: parent.state.id, name: request.label, kind: "agent" },
    parts: [{ type: "text", text: request.task }],
    attended: false,
    marks: marksOf(parent.state.label),
  });
  // Asked for again after a restart, it may have ended before.
  if (isIdle(session.state)) running.get(key)?.end();
  if (request.wait) return result(session, request.label, request.signal);
  const place = queued ? " It is queued behind others." : "";
  return `Started subagent ${request.label} (${session.state.id}).${place} Its result will arrive here.`;
}

/** A child may do what both may: its own agent, and that of who started it. */
function childAgent(parents: string | undefined, asked: string | undefined): string | undefined {
  const names = [parents, asked].filter((name) => name !== undefined && name !== MAIN);
  return names.length === 0 ? undefined : [...new Set(names)].join("/");
}

/** Counts the child as at work until its turn has ended; one that works too long is stopped. */
function watch(state: SubagentsState, session: Session, label: string): void {
  const { running, options, clock, log } = state;
  if (running.has(session.state.key)) return;
  const { key } = session.state;
  const timer = new AbortController();
  const end = (): void => {
    unsubscribe();
    timer.abort(new Error("ended"));
    running.delete(key);
  };
  const ends: SomeKinds<AgentEvent, [], void> = {
    "turn.ended": end,
    "messages.withdrawn": () => (isIdle(session.state) ? end() : undefined), // its task, before its turn
  };
  const unsubscribe = session.subscribe((event) => bySomeKind(ends, event));
  running.set(key, { session, label, end });
  const startedAt = session.state.turn?.startedAt ?? clock.now();
  clock
    .sleep(Math.max(0, startedAt + options.timeoutMs() - clock.now()), timer.signal)
    .then(
      () => report(state, session, label, "timeout"),
      () => {}, // it ended in time
    )
    .catch((error: unknown) => log.error("subagent.failed", { session: key, message: messageOf(error) }));
}

function childrenOf({ running }: SubagentsState, parent: SessionId): readonly Child[] {
  return [...running.values()].filter(({ session }) => session.state.parent?.session === parent);
}

function viewOf({ session: { state }, label }: Child): SubagentView {
  const { id, key, turn, createdAt } = state;
  return { session: id, key, label, task: taskOf(state), steps: turn?.steps ?? 0, startedAt: createdAt };
}

async function stopAll(state: SubagentsState, parent: SessionId): Promise<readonly StoppedChild[]> {
  const children = childrenOf(state, parent);
  const stopped = children.flatMap(({ session, label }) =>
    session.state.parent === undefined
      ? []
      : [{ call: session.state.parent.call, text: childName(label, taskOf(session.state)) }],
  );
  for (const { session } of children) await state.stop(session, { id: SUBAGENT, kind: "agent" });
  return stopped;
}

/** A stopped child has no reply of its own: its parent is told all the same. */
function report(state: SubagentsState, session: Session, label: string, why: "timeout" | "cancelled"): Promise<void> {
  const work = async (): Promise<void> => {
    const steps = lastSteps(session.state.messages);
    await state.stop(session, { id: SUBAGENT, kind: "agent" });
    const reason = why === "timeout" ? "its time was up" : "somebody cancelled it";
    await tell(state, session, `Subagent ${label} was stopped: ${reason}.${steps}`);
  };
  const done = work().finally(() => state.reports.delete(done));
  state.reports.add(done);
  return done;
}

async function tell({ accept, byId, find }: SubagentsState, session: Session, text: string): Promise<void> {
  const { parent } = session.state;
  if (parent === undefined) return;
  const target = byId(parent.session) ?? (await find(parentKey(session.state.key)));
  if (target === undefined || returned(parent, target.state)) return;
  // It was made for who read there, and meanwhile somebody else does.
  if (target.state.audience !== session.state.audience) return;
  // The key makes it one message, however often it is sent.
  await accept({
    key: `subagent:${parent.call}`,
    origin: target.state.origin,
    sessionKey: target.state.key,
    from: { id: SUBAGENT, kind: "agent" },
    parts: [{ type: "text", text }],
    attended: target.state.turn?.attended ?? true,
    marks: marksOf(session.state.label),
  });
}

/** Whether the call gives the parent the result itself; one that ended without it does not. */
function returned({ call, wait }: NonNullable<SessionState["parent"]>, parent: SessionState): boolean {
  if (wait !== true) return false;
  const result = parent.messages.find((message) => message.role === "tool" && message.callId === call);
  return result?.role !== "tool" || result.status === "ok";
}

/** `subagent:{parent's key}#{call}`. */
function parentKey(key: string): string {
  return key.slice(SUBAGENT.length + 1, key.lastIndexOf("#"));
}

function labelOf(state: SessionState): string {
  const first = state.messages.find((message) => message.role === "user") ?? state.pending[0]?.message;
  return first?.from.name ?? "task";
}

function taskOf(state: SessionState): string {
  const first = state.messages.find((message) => message.role === "user") ?? state.pending[0]?.message;
  return first?.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ") ?? "";
}

/** Resolves with the text of the child's only turn; without one it was withdrawn while it waited. */
async function result(session: Session, label: string, signal: AbortSignal): Promise<ToolResult> {
  await untilIdle(session, signal);
  await session.commit(); // what ended it is on disk
  const ended = await endOf(session);
  if (ended === undefined) return `Subagent ${label} was stopped before it began.`;
  const text = outcomeText(label, ended.text, ended, session.state.messages);
  return { parts: [{ type: "text", text }], ...marksOf(session.state.label) };
}
