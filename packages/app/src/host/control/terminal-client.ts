/** A terminal beside a running process: the same conversations, live, through its control door. Composes nothing. */
import type { Socket } from "node:net";
import {
  RuntimeError,
  type AgentEvent,
  type Commit,
  type ErrorCode,
  type Session,
  type TurnOutcome,
} from "@margay/core";
import { fold, untilAborted } from "@margay/core/internal";
import type { ChatAgent, ChatSession, ReplySource } from "../sessions/chat-agent.ts";
import { connectDoor } from "./connect.ts";
import { readLines, writeLine } from "./lines.ts";
import {
  TERMINAL_PROTOCOL,
  type About,
  type Sending,
  type TerminalCall,
  type TerminalCalls,
  type TerminalFrame,
} from "./terminal-frames.ts";

export interface DoorLink extends Disposable {
  readonly agent: ChatAgent;
  readonly terminal: ReplySource;
  /** Replies to the conversations opened here come here from now on, those that waited first. */
  attach(): Promise<void>;
  /** Known when it is attached. */
  readonly about: () => About;
  /** Told once what to call when the model or whether there is one changed. */
  readonly whenConfigured: (changed: () => void) => void;
  /** @returns how its turn ended. @throws RuntimeError as the agent does; `process.stopping` when the process is gone. */
  send(sending: Sending): Promise<TurnOutcome>;
  ask: Ask;
  /** Aborts when the other process is gone, or ends the connection. */
  readonly lost: AbortSignal;
}

type Ask = <Call extends TerminalCall>(
  call: Call,
  input: TerminalCalls[Call]["input"],
) => Promise<TerminalCalls[Call]["answer"]>;

interface Following {
  state: Session["state"];
  readonly listeners: Map<object, Listener>;
}

interface Listener {
  readonly event: (event: AgentEvent) => void;
  readonly failed: ((error: Error) => void) | undefined;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a connection knows. */
interface Link {
  readonly socket: Socket;
  readonly waiting: Map<number, Waiting>;
  readonly sessions: Map<string, Following>;
  /** Asked to be opened: commits follow right behind the answer. */
  readonly opening: Map<number, string>;
  /** Of histories that are on their way. */
  readonly past: Map<number, Commit[]>;
  readonly lost: AbortController;
  show: Parameters<ReplySource["attach"]>[0] | undefined;
  changed: () => void;
  about: About | undefined;
  asked: number;
}

/** @param path Of the socket. @param patience Until when it must be answered. @throws NoDoor when nobody does. */
export async function openLink(path: string, patience: AbortSignal): Promise<DoorLink> {
  const { socket, head } = await connectDoor(path, TERMINAL_PROTOCOL, patience);
  const link: Link = {
    socket,
    waiting: new Map(),
    sessions: new Map(),
    opening: new Map(),
    past: new Map(),
    lost: new AbortController(),
    show: undefined,
    changed: () => {},
    about: undefined,
    asked: 0,
  };
  const feed = readLines(
    socket,
    (frame) => take(link, frame as TerminalFrame), // a line of terminal-server.ts
    () => socket.destroy(),
  );
  const end = (): void => ended(link);
  socket.once("close", end);
  socket.on("error", () => socket.destroy());
  if (head.length > 0) feed(head);
  socket.resume(); // it was held until somebody reads
  const ask: Ask = (call, input) => asked(link, call, input);
  return {
    agent: agentOf(link, ask),
    terminal: {
      attach: (view) => {
        link.show = view;
        return () => {
          link.show = undefined;
        };
      },
    },
    attach: async () => {
      link.about = await ask("attach", {});
    },
    about: () => known(link),
    whenConfigured: (redraw) => {
      link.changed = redraw;
    },
    send: (sending) => ask("send", sending),
    ask,
    lost: link.lost.signal,
    [Symbol.dispose]: () => {
      socket.removeListener("close", end);
      socket.destroy();
    },
  };
}

function agentOf(link: Link, ask: Ask): ChatAgent {
  const open = async (key: string, { chat }: { readonly chat: string }): Promise<ChatSession> => {
    for (const other of link.sessions.keys()) if (other !== key) await ask("close", { key: other });
    const state = await ask("open", { key, chat });
    return sessionOf(link.sessions.get(key) ?? { state, listeners: new Map() }, () => historyOf(link, key));
  };
  return {
    get model() {
      return known(link).model;
    },
    get settings() {
      return { contextWindow: known(link).contextWindow };
    },
    sessions: { open, list: () => ask("list", {}) },
    bus: { accept: (message) => ask("accept", message) },
    control: (key, control) => ask("control", { key, control }),
    withdraw: (key, id) => ask("withdraw", { key, id }),
    rewrite: (key, id, change) => ask("rewrite", { key, id, change }),
    run: (signal) => untilAborted(AbortSignal.any([signal, link.lost.signal])),
  };
}

async function asked<Call extends TerminalCall>(
  link: Link,
  call: Call,
  input: TerminalCalls[Call]["input"],
): Promise<TerminalCalls[Call]["answer"]> {
  link.lost.signal.throwIfAborted();
  link.asked += 1;
  const id = link.asked;
  if (call === "open") link.opening.set(id, (input as TerminalCalls["open"]["input"]).key); // of this very call
  if (call === "close") link.sessions.delete((input as TerminalCalls["close"]["input"]).key); // of this very call
  const answered = Promise.withResolvers<unknown>();
  link.waiting.set(id, answered);
  writeLine(link.socket, { id, call, input });
  return (await answered.promise) as TerminalCalls[Call]["answer"]; // of this very call
}

function ended({ lost, waiting }: Link): void {
  const error = new RuntimeError("process.stopping", "The process that works on this state directory has ended.", {
    retryable: true,
  });
  lost.abort(error);
  for (const { reject } of waiting.values()) reject(error);
  waiting.clear();
}

/** In the order in which the other process said it. */
function take(link: Link, frame: TerminalFrame): void {
  const { waiting, sessions, opening } = link;
  switch (frame.type) {
    case "answer": {
      const key = opening.get(frame.id);
      const state = frame.answer as Session["state"]; // of an open
      if (key !== undefined) sessions.set(key, { state, listeners: new Map() });
      opening.delete(frame.id);
      waiting.get(frame.id)?.resolve(frame.answer);
      waiting.delete(frame.id);
      return;
    }
    case "refused":
      waiting.get(frame.id)?.reject(new RuntimeError(frame.code as ErrorCode, frame.message)); // it was one before it became data
      waiting.delete(frame.id);
      return;
    case "past":
      link.past.get(frame.id)?.push(...frame.commits);
      return;
    case "commit":
      return takeCommit(sessions.get(frame.key), frame.commit);
    case "live":
      return tell(sessions.get(frame.key), frame.event);
    case "failed": {
      const error = new RuntimeError("journal.failed", frame.message, { retryable: true });
      for (const { failed } of sessions.get(frame.key)?.listeners.values() ?? []) failed?.(error);
      return;
    }
    case "reply":
      link.show?.(frame.message, frame.alone);
      asked(link, "shown", { reply: frame.message.reply }).catch(() => {}); // it is shown again elsewhere
      return;
    case "about":
      link.about = frame.about;
      return link.changed();
  }
}

function known({ about }: Link): About {
  if (about === undefined) throw new Error("Nothing was answered yet.");
  return about;
}

async function* historyOf(link: Link, key: string): AsyncGenerator<Commit> {
  const commits: Commit[] = [];
  const id = link.asked + 1;
  link.past.set(id, commits);
  try {
    await asked(link, "history", { key });
    yield* commits;
  } finally {
    link.past.delete(id);
  }
}

function sessionOf(following: Following, history: ChatSession["history"]): ChatSession {
  return {
    history,
    get state() {
      return following.state;
    },
    subscribe: (event, failed) => {
      const key = {};
      following.listeners.set(key, { event, failed });
      return () => void following.listeners.delete(key);
    },
  };
}

function takeCommit(following: Following | undefined, commit: Parameters<typeof fold>[1]): void {
  if (following === undefined || commit.seq <= following.state.seq) return;
  following.state = fold(following.state, commit);
  for (const record of commit.records) tell(following, { ...record, seq: commit.seq, at: commit.at });
}

function tell(following: Following | undefined, event: AgentEvent): void {
  for (const listener of following?.listeners.values() ?? []) listener.event(event);
}
