/** The interactive chat in a terminal: a view of one session, and what the person types into it. */
import { type AgentEvent, type OutboundMessage, type Session } from "@margay/core";
import { untilIdle, isIdle, messageOf, untilAborted } from "@margay/core/internal";
import { chatTexts } from "./texts.ts";
import { readAnswer, type Answer } from "./approval-panel.ts";
import type { ChatApp, ChatOptions } from "./chat-app.ts";
import { OPERATOR } from "../operator.ts";
import type { Kit } from "./render-item.ts";
import { guardTerminal } from "./restore.ts";
import { safeLine } from "./safe.ts";
import { createScreen, type ScreenHandlers } from "./screen.ts";
import { createStyle } from "./style.ts";
import { follow, openTranscript } from "./follow.ts";
import { EMPTY_TRANSCRIPT, isShown, note, textOf, typed, type Transcript } from "./transcript.ts";

/**
 * Runs until the person leaves. Also runs the agent: replies are delivered and interrupted turns go on.
 * @returns the exit code.
 */
export async function runChat(app: ChatApp, options: ChatOptions = {}): Promise<number> {
  const quit = new AbortController();
  const ended = options.signal === undefined ? quit.signal : AbortSignal.any([quit.signal, options.signal]);
  const kit: Kit = {
    pi: await import("@earendil-works/pi-tui"),
    style: createStyle(options.color ?? true),
    texts: chatTexts(app.language, app.command),
  };
  if (ended.aborted) return 0;
  let code = 0;
  const chat = createChat(app, kit, quit);
  const unguard = guardTerminal(chat.screen.stop, (signal) => {
    code = signal === "SIGTERM" ? 143 : 129; // 128 + signal number, as shells report it
    quit.abort();
  });
  const detach = app.terminal.attach(chat.receive);
  app.whenConfigured?.(chat.draw);
  let work: Promise<void> | undefined;
  try {
    // First of all: until then the terminal echoes what is typed, and makes another key of Enter.
    chat.screen.start();
    // Before the agent runs: what is at work then was interrupted.
    await chat.open(app.sessionKey);
    if (ended.aborted) return code;
    if (chat.interrupted()) chat.say("info", kit.texts("resumed"));
    work = app.agent.run(ended).catch((error: unknown) => {
      if (!ended.aborted) chat.say("error", kit.texts("failed", { reason: messageOf(error) }));
    });
    await untilAborted(ended);
    if (quit.signal.aborted && code === 0) await chat.leave();
    if (options.interrupted?.() === true) await chat.leave();
  } finally {
    quit.abort();
    detach();
    chat.screen.stop();
    unguard();
    if (chat.working()) process.stdout.write(`${kit.texts("bye")}\n`);
    await work;
    chat.close();
  }
  return code;
}

/** What the agent takes for a command; `/etc/hosts` is text. */
const COMMAND = /^\/[a-z][a-z-]*(?:@[\w-]+)?(?:\s[\s\S]*)?$/i;

interface Opened {
  readonly key: string;
  readonly session: Session;
  readonly close: () => void;
}

function createChat(app: ChatApp, kit: Kit, quit: AbortController) {
  const { agent } = app;
  const { texts } = kit;
  const sender = app.sender ?? OPERATOR;
  let opened: Opened | undefined;
  /** Replies that waited for somebody to come back. */
  let away: ReadonlySet<string> = new Set();
  let transcript: Transcript = EMPTY_TRANSCRIPT;
  let unfolded = { tools: false, thinking: false };
  let stopping = false;
  let hint: string | undefined;

  /** Whether a text is a message or an answer shows when the conversation was read. */
  const read = Promise.withResolvers<void>();
  const screen = createScreen(app, kit, {
    submit: (text) => void guarded(read.promise.then(() => submit(text))),
    key: pressed,
  });
  const draw = (): void =>
    screen.show({
      transcript,
      session: key(),
      usage: opened?.session.state.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      unfolded,
      stopping,
      ...(hint !== undefined && { hint }),
    });
  const key = (): string => opened?.key ?? app.sessionKey;
  const say = (tone: "info" | "error" | "answer", text: string): void => {
    transcript = note(transcript, tone, text);
    draw();
  };

  /** Commands never become messages, so nothing else would show what was typed. */
  function echo(text: string): void {
    transcript = typed(transcript, text);
    draw();
  }

  async function open(sessionKey: string): Promise<void> {
    const session = await agent.sessions.open(sessionKey, { channel: "cli", chat: chatOf(sessionKey) });
    close();
    // In one step with the subscription: nothing happens in between that would be missed or seen twice.
    transcript = openTranscript(session.state);
    away = new Set(session.state.outbox.map((queued) => queued.reply));
    opened = { key: sessionKey, session, close: session.subscribe(onEvent, onFailure) };
    stopping = false;
    for (const item of transcript.items)
      if (item.kind === "user" && item.name === undefined) screen.remember(item.text);
    read.resolve();
    draw();
  }

  function onEvent(event: AgentEvent): void {
    transcript = follow(transcript, event);
    if (event.type === "turn.ended") stopping = false;
    draw();
  }

  function onFailure(error: Error): void {
    say("error", safeLine(error.message));
  }

  function close(): void {
    opened?.close();
    opened = undefined;
  }

  async function submit(line: string): Promise<void> {
    const text = line.trim();
    if (text === "") return;
    const [question] = transcript.approvals;
    const answer = question && readAnswer(text, question);
    if (question && answer) return decide(question, answer);
    screen.remember(text);
    if (/^\/(?:quit|exit)$/.test(text)) return quit.abort();
    if (COMMAND.test(text)) echo(text);
    const session = /^\/(?:sessions|resume-session)(?:\s+(\S+))?$/.exec(text);
    if (session) return chooseSession(session[1]);
    const accepted = await agent.bus.accept({
      key: crypto.randomUUID(),
      origin: { channel: "cli", chat: chatOf(key()) },
      from: sender,
      parts: [{ type: "text", text }],
      sessionKey: key(),
      attended: true,
    });
    if (accepted.status === "refused") say("error", texts("refused", { reason: safeLine(accepted.reason) }));
  }

  async function decide(question: Transcript["approvals"][number], answer: Answer): Promise<void> {
    const done = await agent.control(
      key(),
      { ...answer, call: question.call, ...(question.hash !== undefined && { hash: question.hash }) },
      sender,
    );
    if (!done.done) say("info", texts("ask.gone"));
  }

  async function chooseSession(wanted: string | undefined): Promise<void> {
    const sessions = await agent.sessions.list();
    if (wanted !== undefined && !sessions.some((session) => session.key === wanted))
      return say("error", texts("noSession", { key: safeLine(wanted) }));
    const others = sessions.filter((session) => session.key !== key());
    if (others.length === 0) return say("info", texts("noSessions"));
    const items = others.map((session) => ({
      value: session.key,
      label: safeLine(session.key),
      description: `${new Date(session.updatedAt).toISOString().slice(0, 16).replace("T", " ")} ${safeLine(session.title)}`,
    }));
    const chosen = wanted ?? (await screen.choose(texts("chooseSession"), items));
    if (chosen !== undefined) {
      await open(chosen);
      say("info", texts("session", { key: chosen }));
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    draw();
    const result = await agent.control(key(), { type: "stop", withdraw: false }, sender);
    if (!result.stopped) stopping = false;
    draw();
  }

  function pressed(...[pressedKey, editor]: Parameters<ScreenHandlers["key"]>): boolean {
    const asked = hint !== undefined;
    hint = undefined;
    switch (pressedKey) {
      case "escape":
        if (editor.completing || !transcript.turn) return false;
        void guarded(stop());
        return true;
      case "ctrl+c":
        if (asked) quit.abort();
        else if (!editor.empty) screen.clearInput();
        else {
          if (transcript.turn && !stopping) void guarded(stop());
          hint = texts("quitAgain");
        }
        break;
      case "ctrl+d":
        if (!editor.empty) return false;
        quit.abort();
        break;
      case "ctrl+o":
        unfolded = { ...unfolded, tools: !unfolded.tools };
        break;
      case "ctrl+t":
        unfolded = { ...unfolded, thinking: !unfolded.thinking };
        break;
      case "ctrl+z":
        suspend();
        break;
      case "other":
        if (asked) draw();
        return false;
    }
    draw();
    return true;
  }

  function suspend(): void {
    if (process.platform === "win32") return;
    screen.stop();
    process.once("SIGCONT", () => {
      screen.start();
      draw();
    });
    // A signal handler alone does not hold the process open; reading does, and a stopped process reads nothing.
    process.stdin.resume();
    process.kill(process.pid, "SIGTSTP");
  }

  async function guarded(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => say("error", texts("failed", { reason: messageOf(error) })));
  }

  return {
    screen,
    draw,
    open,
    close,
    say,
    working: (): boolean => transcript.turn !== undefined,
    /** A person who leaves wants nothing to go on behind their back; what is at work ends, in the journal too. */
    leave: async (): Promise<void> => {
      const session = opened?.session;
      if (session === undefined || isIdle(session.state)) return;
      await agent.control(key(), { type: "stop", withdraw: true }, sender);
      await untilIdle(session);
    },
    /** The session is not idle: while the agent does not run yet, an earlier process left it so. */
    interrupted: (): boolean => {
      const state = opened?.session.state;
      return state !== undefined && (state.turn !== undefined || state.pending.length > 0);
    },
    /** A reply from the outbox: what this session said was streamed already. */
    receive(message: OutboundMessage): void {
      const text = textOf(message.parts);
      if (message.kind === "progress" || message.kind === "approval" || isShown(transcript, message.reply, text))
        return;
      if (away.has(message.reply)) transcript = note(transcript, "info", texts("away"));
      transcript = {
        ...note(transcript, message.kind === "error" ? "error" : "answer", text),
        shown: new Set([...transcript.shown, message.reply]),
      };
      draw();
    },
  };
}

/** `cli:direct` → `direct`; a chat of another channel is answered at this terminal. */
function chatOf(sessionKey: string): string {
  return sessionKey.startsWith("cli:") ? sessionKey.slice("cli:".length) : "direct";
}
