/** `margay agent`: one message, one answer. `margay` alone: the chat, or one message from standard input. */
import { OPERATOR } from "../../host/operator.ts";
import { randomUUID } from "node:crypto";
import {
  hasCode,
  RuntimeError,
  type AgentEvent,
  type Approval,
  type ContentPart,
  type ErrorCode,
  type TurnOutcome,
} from "@margay/core";
import { bySomeKind, messageOf, raceAbort, type SomeKinds, untilIdle, whenState } from "@margay/core/internal";
import { atHolder } from "../../host/control/holder.ts";
import { openLink } from "../../host/control/terminal-client.ts";
import type { ChatSession } from "../../host/sessions/chat-agent.ts";
import { EXIT, listOption, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { askOwner } from "../../host/cli/confirm.ts";
import { exitCode, failureText } from "../../host/cli/failure.ts";
import { imagePart } from "./image.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { readAll, readPiped } from "../../host/cli/read-input.ts";
import { isInterrupt } from "../../host/stopped-by.ts";
import type { ChatPlace } from "./start-chat.ts";
import { ownSource, sourceAt, type AnswerSource } from "./answer-source.ts";
import { temporaryFor } from "./temporary.ts";
import { answerView, CHANNEL, type AnswerView } from "./answer-view.ts";

const DEFAULT_KEY = "cli:direct";
/** @param firstSetUp Asks a person what a new home needs. @returns false when they left. */
export const runDefault =
  (firstSetUp: (cli: Cli) => Promise<boolean>): Run =>
  async (cli, input) => {
    if (!cli.terminal.inputIsTerminal || !cli.terminal.outputIsTerminal || cli.json) return runAgent(cli, input);
    return (await firstSetUp(cli)) ? openChat(cli, input) : EXIT.interrupted;
  };

export const runAgent: Run = async (cli, input) => {
  const typed = textOption(input, "message");
  const images = listOption(input, "image");
  if (typed === undefined && cli.terminal.inputIsTerminal) return openChat(cli, input);
  const piped = (typed === undefined ? await readAll(cli.terminal) : await readPiped(cli)).trimEnd();
  const text = [typed ?? "", piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text.trim() === "" && images.length === 0) throw new RuntimeError("usage.wrong", cli.t("usage.noMessage"));
  await using temporary = input.options["temporary"] === true ? temporaryFor(cli) : undefined;
  return await answer(cli, {
    session: temporary?.key ?? textOption(input, "session") ?? DEFAULT_KEY,
    text,
    images,
    model: textOption(input, "model"),
    live: input.options["stream"] !== false,
    key: randomUUID(),
  });
};

async function openChat(cli: Cli, input: Input): Promise<number> {
  const model = textOption(input, "model");
  const flags = model === undefined ? {} : { model };
  const { openChatAt, startChat } = await import("./start-chat.ts");
  const options = {
    place: placeOf(input),
    color: cli.terminal.color,
    plain: input.options["plain"] === true || cli.environment.env["TERM"] === "dumb",
    signal: cli.signal,
  };
  // The process whose conversations are shown may end: whoever takes the lock then, this one or another, goes on.
  for (;;) {
    const there = await atHolder(cli, openLink);
    const app = there === undefined ? await unlessTaken(cli.compose({ flags })) : undefined;
    const code =
      there !== undefined
        ? await openChatAt(there, cli, options)
        : app && (await startChat(app, cli, { ...options, flags }));
    if (code === undefined) continue;
    return code === EXIT.done && cli.signal.aborted ? EXIT.interrupted : code;
  }
}

function placeOf({ options }: Input): ChatPlace {
  const { session, resume, continue: last } = options;
  if (options["temporary"] === true) return { start: "temporary" };
  if (typeof session === "string") return { key: session, start: "new" };
  return { start: resume === true ? "chosen" : last === true ? "last" : "new" };
}

/** Undefined: another one took the lock in between, and answers. */
async function unlessTaken<Value>(composing: Promise<Value>): Promise<Value | undefined> {
  try {
    return await composing;
  } catch (error) {
    if (hasCode(error, "state.locked")) return undefined;
    throw error;
  }
}

interface Question {
  readonly session: string;
  readonly text: string;
  readonly images: readonly string[];
  readonly model: string | undefined;
  readonly live: boolean;
  /** The same at a second attempt: it is taken once. */
  readonly key: string;
}

/** Beside a process that runs, that one answers; else this one. */
async function answer(cli: Cli, question: Question): Promise<number> {
  const flags = question.model === undefined ? {} : { model: question.model };
  // The reply comes to this terminal, whatever chat the session belongs to.
  const chat = chatOf(question.session);
  const screen = answerView({ terminal: cli.terminal, t: cli.t, chat, silent: cli.json, live: question.live });
  for (;;) {
    const link = await atHolder(cli, openLink);
    await using source = link === undefined ? await unlessTaken(ownSource(cli, flags)) : await sourceAt(link);
    if (source === undefined) continue;
    try {
      return await answerFrom(source, cli, question, screen);
    } catch (error) {
      // It ended before it was done: what it left goes on where the lock is now.
      if (source.lost?.aborted !== true || cli.signal.aborted) throw error;
      screen.resume();
    }
  }
}

function chatOf(session: string): string {
  return session.startsWith(`${CHANNEL}:`) ? session.slice(CHANNEL.length + 1) : session;
}

async function answerFrom(source: AnswerSource, cli: Cli, question: Question, screen: AnswerView): Promise<number> {
  const { agent } = source;
  const { session: name } = question;
  const chat = chatOf(name);
  const detach = source.terminal.attach(screen.show);
  if (source.practice && !cli.json) cli.terminal.err(`${cli.t("agent.practice")}\n`);
  const parts: ContentPart[] = question.text === "" ? [] : [{ type: "text", text: question.text }];
  for (const path of question.images) parts.push(await imagePart(path, source, cli));

  const origin = { channel: CHANNEL, chat };
  const session = await agent.sessions.open(name, origin);
  const asking = askApprovals(cli, source, session);
  const unsubscribe = session.subscribe((event) => {
    if (!source.isMine(event)) return;
    if (cli.json) cli.terminal.out(jsonLine(event));
    else showEvent(event, cli, screen);
    asking.notice(event);
  });
  const over = source.lost === undefined ? cli.signal : AbortSignal.any([cli.signal, source.lost]);
  try {
    // A turn that an earlier process left open goes on first, and its reply is shown.
    await source.begin(session, screen.show);
    if (source.lost === undefined) asking.pending(session);
    const sending = {
      session: name,
      parts,
      origin,
      from: OPERATOR,
      attended: cli.terminal.interactive,
      key: question.key,
      ...(question.model !== undefined && { model: question.model }),
    };
    const outcome = await raceAbort(source.send(sending), over);
    await raceAbort(delivered(session), over);
    // What it started goes on in this process only as long as somebody waits for it.
    if ((await source.subagents(session)) > 0 && !cli.json) cli.terminal.err(`${cli.t("agent.waiting")}\n`);
    await raceAbort(source.settled(session), over);
    if (cli.json) cli.terminal.out(jsonLine(answerLine(name, outcome, screen)));
    if (outcome.reason !== "failed" && outcome.reason !== "budget") return EXIT.done;
    return reportFailure(cli, outcome, screen);
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    const interrupted = isInterrupt(cli.signal);
    if (interrupted) await interrupt(source, session);
    if (!cli.json) cli.terminal.err(`\n${cli.t(interrupted ? "agent.interrupted" : "agent.stopped")}\n`);
    return EXIT.interrupted;
  } finally {
    unsubscribe();
    detach();
    asking.end();
  }
}

/** The reply says what went wrong in a sentence for chats; here the exact error follows, with its code. */
function reportFailure(cli: Cli, { error }: TurnOutcome, screen: AnswerView): number {
  if (error === undefined) return EXIT.failed;
  const { language, t, json, places, terminal } = cli;
  const failure = new RuntimeError(error.code as ErrorCode, error.message); // it was a RuntimeError before it became data
  if (!json && !screen.replies.some((text) => text.includes(error.message)))
    terminal.err(failureText(failure, { language, t, home: places.home, log: places.log }));
  return exitCode(failure);
}

function answerLine(session: string, outcome: TurnOutcome, screen: AnswerView): object {
  const { text, reason, toolsUsed, usage, error } = outcome;
  return {
    type: "answer",
    session,
    text: text === "" ? (screen.replies.at(-1) ?? "") : text,
    reason,
    toolsUsed,
    usage,
    ...(error !== undefined && { error }),
  };
}

/** Progress on stderr: which tools run and how they ended. */
function showEvent(event: AgentEvent, cli: Cli, screen: AnswerView): void {
  bySomeKind(SHOWN, event, cli, screen);
}

/** Everything else is for machines (--json) or is shown when the reply comes. */
const SHOWN: SomeKinds<AgentEvent, [cli: Cli, screen: AnswerView], void> = {
  "text.delta": ({ text }, _cli, screen) => screen.stream(text),
  "text.restarted": (_event, _cli, screen) => screen.restart(),
  "model.waiting": ({ waitedMs }, { terminal, t }) =>
    terminal.err(`${t("agent.stillWaiting", { seconds: waitedMs / 1000 })}\n`),
  "model.responded": ({ message }, { terminal, t }, screen) => {
    screen.endOfResponse();
    for (const part of message.parts)
      if (part.type === "tool-call")
        terminal.err(`${t("agent.tool", { name: safeText(part.name), input: oneLine(JSON.stringify(part.input)) })}\n`);
  },
  "model.failed": ({ error, retryAt }, { terminal, t }) => {
    if (retryAt !== undefined) terminal.err(`${t("agent.retry", { message: oneLine(error.message) })}\n`);
  },
  "tool.finished": ({ message: { status }, durationMs }, { terminal, t }) =>
    terminal.err(`${t("agent.toolDone", { status, ms: Math.round(durationMs) })}\n`),
};

const MAX_LINE_CHARS = 200;

function oneLine(text: string): string {
  const line = safeText(text).replaceAll("\n", " ");
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}

interface Asking {
  notice(event: AgentEvent): void;
  pending(session: ChatSession): void;
  end(): void;
}

/** Approvals are asked one after the other on the terminal; without one the policy has already denied them. */
function askApprovals(cli: Cli, { agent }: AnswerSource, session: ChatSession): Asking {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, cli.signal]);
  let tail: Promise<void> = Promise.resolve();
  const ask = async (approval: Pick<Approval, "call" | "hash" | "prompt">): Promise<void> => {
    cli.terminal.err(`\n${safeText(approval.prompt)}\n`);
    const allow = await askOwner(cli.terminal, cli.t("agent.approve"), signal);
    await agent.control(
      session.state.key,
      { type: allow ? "allow" : "deny", call: approval.call, hash: approval.hash },
      OPERATOR,
    );
  };
  const enqueue = (approval: Pick<Approval, "call" | "hash" | "prompt">): void => {
    if (!cli.terminal.interactive) return;
    tail = tail
      .then(() => ask(approval))
      .catch((error: unknown) => {
        if (!signal.aborted) cli.terminal.err(`${safeText(messageOf(error))}\n`);
      });
  };
  const questions: SomeKinds<AgentEvent, [], void> = {
    "call.judged": ({ verdict, call, hash = "", prompt = "" }) => {
      if (verdict === "ask") enqueue({ call, hash, prompt });
    },
    "call.asked": enqueue,
  };
  return {
    notice: (event) => bySomeKind(questions, event),
    pending: ({ state }) => {
      for (const item of state.turn?.calls ?? [])
        if (item.status === "asked") enqueue({ call: item.call.callId, hash: item.hash, prompt: item.prompt });
      for (const question of state.turn?.questions ?? []) enqueue(question);
    },
    end: () => done.abort(),
  };
}

/** What a person has cut is never gone on with: it is in the journal that it ended. */
async function interrupt({ agent }: AnswerSource, session: ChatSession): Promise<void> {
  await agent.control(session.state.key, { type: "stop", withdraw: true }, OPERATOR);
  await untilIdle(session);
}

/** Resolves when no reply of this terminal waits any more. */
function delivered(session: ChatSession): Promise<void> {
  return whenState(session, ({ outbox }) => outbox.every((item) => item.to.channel !== CHANNEL));
}
