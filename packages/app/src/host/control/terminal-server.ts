/** A terminal or a command at the control door: it sees the conversations it opens as they go on, talks in them, and asks. */
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { RuntimeError, type Commit, type Session } from "@margay/core";
import { isIdle, messageOf, whenState } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { modelRef } from "../../config/agent-settings.ts";
import { knownModel, providerFor } from "../../models/choose-model.ts";
import { followCommits } from "../live/session-commits.ts";
import { OPERATOR } from "../operator.ts";
import { readLines, writeLine } from "./lines.ts";
import type { About, Asked, Sending, TerminalCall, TerminalCalls, TerminalFrame } from "./terminal-frames.ts";

/** A terminal that reads no more is left: it comes back with the state of then. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

const PAST_COMMITS = 100;

type Input<Call extends TerminalCall> = TerminalCalls[Call]["input"];

type Answers = {
  readonly [Call in Exclude<TerminalCall, "open">]: (
    input: Input<Call>,
  ) => Promise<TerminalCalls[Call]["answer"]> | TerminalCalls[Call]["answer"];
};

interface Opened {
  readonly chat: string;
  readonly session: Session;
  readonly end: () => void;
}

/** Does what a command asks. */
export type Operate = (asked: Input<"operation">, signal: AbortSignal) => Promise<unknown>;

/** One that is there. */
interface Terminal {
  readonly app: App;
  readonly socket: Duplex;
  readonly operate: Operate;
  readonly opened: Map<string, Opened>;
  /** Replies that it has not yet on its screen. */
  readonly showing: Map<string, () => void>;
  readonly gone: AbortSignal;
  /** What it knows of this process. */
  told: string;
}

/** Until it leaves; what it began goes on. @param head What came with the upgrade. */
export function serveTerminal(app: App, socket: Duplex, head: Uint8Array, operate: Operate): void {
  const gone = new AbortController();
  const terminal: Terminal = {
    app,
    socket,
    operate,
    opened: new Map(),
    showing: new Map(),
    gone: gone.signal,
    told: "",
  };
  const answers = answersFor(terminal);
  socket.on("error", () => socket.destroy()); // it is gone
  socket.once("close", () => {
    gone.abort(new RuntimeError("process.stopping", "The terminal is gone.", { retryable: true }));
    for (const { end } of terminal.opened.values()) end();
  });
  const take = readLines(
    socket,
    (asked) => void answer(terminal, answers, asked as Asked), // a line of terminal-client.ts
    () => socket.destroy(),
  );
  if (head.length > 0) take(head);
}

/** Never rejects. */
async function answer(terminal: Terminal, answers: Answers, { id, call, input }: Asked): Promise<void> {
  try {
    if (call === "open") {
      await open(terminal, id, input as Input<"open">); // of this very call
      return;
    }
    if (call === "history") await sendHistory(terminal, id, input as Input<"history">); // of this very call
    const perform = Object.hasOwn(answers, call) ? answers[call] : undefined;
    if (perform === undefined) throw new RuntimeError("usage.wrong", `This margay does not know ${String(call)}.`);
    const answered = await perform(input as never); // of this very call, from a terminal of the same owner
    send(terminal, { type: "answer", id, answer: answered ?? null });
  } catch (error) {
    const code = error instanceof RuntimeError ? error.code : "internal.bug";
    send(terminal, { type: "refused", id, code, message: messageOf(error) });
  }
}

function answersFor(terminal: Terminal): Answers {
  const { app, opened, showing, gone } = terminal;
  const { agent } = app;
  const sessionOf = async (key: string): Promise<Session> =>
    opened.get(key)?.session ?? (await agent.sessions.open(key, { channel: "cli", chat: key }));
  return {
    attach: () => attach(terminal),
    close: ({ key }) => {
      opened.get(key)?.end();
      opened.delete(key);
      return null;
    },
    history: () => null, // its commits were sent before
    list: () => agent.sessions.list(),
    accept: (message) => agent.bus.accept(message),
    send: (sending) => withModel(app, sending, () => agent.send(sending.session, sending.parts, sending).finished),
    control: ({ key, control }) => agent.control(key, control, OPERATOR),
    withdraw: ({ key, id }) => agent.withdraw(key, id, OPERATOR),
    rewrite: ({ key, id, change }) => agent.rewrite(key, id, change, OPERATOR),
    subagents: async ({ key }) => agent.subagents((await sessionOf(key)).state.id).length,
    settled: async ({ key }) => {
      const session = await sessionOf(key);
      const { id } = session.state;
      await whenState(session, (state) => isIdle(state) && agent.subagents(id).length === 0, gone);
      return null;
    },
    put: ({ bytes }) => agent.blobs.put(Buffer.from(bytes, "base64")),
    operation: (asked) => terminal.operate(asked, gone),
    shown: ({ reply }) => {
      showing.get(reply)?.();
      showing.delete(reply);
      return null;
    },
  };
}

function send({ socket }: Terminal, frame: TerminalFrame): void {
  writeLine(socket, frame);
  if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
}

function attach(terminal: Terminal): About {
  const { app, opened, showing, gone } = terminal;
  const detach = app.terminal.attach(
    (message, alone) => {
      send(terminal, { type: "reply", message, alone });
      return raceGone(gone, new Promise<void>((resolve) => showing.set(message.reply, resolve)));
    },
    (chat) => [...opened.values()].some((one) => one.chat === chat),
  );
  gone.addEventListener("abort", detach, { once: true });
  const about = aboutOf(app);
  terminal.told = JSON.stringify(about);
  return about;
}

/** Its state, and in one step with it what follows: nothing is missed, and nothing told twice. */
async function open(terminal: Terminal, id: number, { key, chat }: Input<"open">): Promise<void> {
  const { app, opened } = terminal;
  const session = await app.agent.sessions.open(key, { channel: "cli", chat });
  opened.get(key)?.end();
  send(terminal, { type: "answer", id, answer: session.state });
  const end = followCommits(
    session,
    {
      commit: (commit) => {
        send(terminal, { type: "commit", key, commit });
        tellAbout(terminal);
      },
      live: (event) => send(terminal, { type: "live", key, event }),
    },
    (error) => send(terminal, { type: "failed", key, message: error.message }),
  );
  opened.set(key, { chat, session, end });
}

/** In pieces, as fast as they are read. */
async function sendHistory(terminal: Terminal, id: number, { key }: Input<"history">): Promise<void> {
  const session = terminal.opened.get(key)?.session;
  let commits: Commit[] = [];
  for await (const commit of session?.history() ?? []) {
    commits.push(commit);
    if (commits.length < PAST_COMMITS) continue;
    send(terminal, { type: "past", id, commits });
    commits = [];
    if (terminal.socket.writableNeedDrain) await once(terminal.socket, "drain", { signal: terminal.gone });
  }
  send(terminal, { type: "past", id, commits });
}

function aboutOf({ practice, agent, schedule }: App): About {
  return { practice, model: agent.model, contextWindow: agent.settings.contextWindow, held: schedule.waits };
}

/** When it changed. */
function tellAbout(terminal: Terminal): void {
  const about = aboutOf(terminal.app);
  const text = JSON.stringify(about);
  if (text !== terminal.told) send(terminal, { type: "about", about });
  terminal.told = text;
}

/** @throws the reason of `gone`. */
function raceGone(gone: AbortSignal, shown: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    gone.addEventListener("abort", () => reject(gone.reason as Error), { once: true }); // a RuntimeError, above
    shown.then(resolve, reject);
  });
}

/** `--model` of one message: the conversation has it for that turn, and what it had before again afterwards. */
async function withModel<Value>(
  app: App,
  { session: key, model: name, origin }: Sending,
  sending: () => Promise<Value>,
): Promise<Value> {
  if (name === undefined) return sending();
  const options = { config: app.inside.loaded().config, home: app.loaded.places.home };
  const model = knownModel(name, options) ?? modelRef(name);
  providerFor(model, { ...options, env: {}, clock: app.clock }); // says what is wrong with one that is not known
  const session = await app.agent.sessions.open(key, origin ?? { channel: "cli", chat: key });
  const before = session.state.model ?? null;
  await session.commit({ type: "session.configured", model, reset: false });
  try {
    return await sending();
  } finally {
    await session.commit({ type: "session.configured", model: before, reset: false });
  }
}
