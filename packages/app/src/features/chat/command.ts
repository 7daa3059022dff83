/** `margay agent`: one message, one answer. `margay` alone: the chat, or one message from standard input. */
import { OPERATOR } from "../../host/operator.ts";
import { randomUUID } from "node:crypto";
import {
  RuntimeError,
  type AgentEvent,
  type Approval,
  type ContentPart,
  type ErrorCode,
  type Session,
  type TurnOutcome,
} from "@margay/core";
import { bySomeKind, raceAbort, type SomeKinds, untilIdle, whenState } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { EXIT, listOption, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { askOwner } from "../../host/cli/confirm.ts";
import { exitCode, failureText } from "../../host/cli/failure.ts";
import { imagePart } from "./image.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { readAll, readPiped } from "../../host/cli/read-input.ts";
import { isInterrupt } from "../../host/stopped-by.ts";
import { answerView, type AnswerView } from "./answer-view.ts";

const CHANNEL = "cli";
const DEFAULT_KEY = "cli:direct";
export const runDefault: Run = async (cli, input) => {
  if (!cli.terminal.inputIsTerminal || !cli.terminal.outputIsTerminal || cli.json) return runAgent(cli, input);
  const { firstSetUp } = await import("../onboard/command.ts");
  if (!(await firstSetUp(cli))) return EXIT.interrupted;
  return openChat(cli, input);
};

export const runAgent: Run = async (cli, input) => {
  const typed = textOption(input, "message");
  const images = listOption(input, "image");
  if (typed === undefined && cli.terminal.inputIsTerminal) return openChat(cli, input);
  const piped = (typed === undefined ? await readAll(cli.terminal) : await readPiped(cli)).trimEnd();
  const text = [typed ?? "", piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text.trim() === "" && images.length === 0) throw new RuntimeError("usage.wrong", cli.t("usage.noMessage"));
  const key = textOption(input, "session") ?? DEFAULT_KEY;
  return answer(cli, { key, text, images, model: textOption(input, "model"), live: input.options["stream"] !== false });
};

async function openChat(cli: Cli, input: Input): Promise<number> {
  const model = textOption(input, "model");
  const flags = model === undefined ? {} : { model };
  await using app = await cli.compose({ flags });
  const { startChat } = await import("./start-chat.ts");
  const { heldText } = await import("../../host/schedule-held.ts");
  const held = heldText(cli);
  if (held !== undefined) cli.terminal.err(`${held}\n`);
  const code = await startChat(app, textOption(input, "session") ?? DEFAULT_KEY, {
    color: cli.terminal.color,
    signal: cli.signal,
    config: cli.loadOptions(flags),
  });
  return code === EXIT.done && cli.signal.aborted ? EXIT.interrupted : code;
}

interface Question {
  readonly key: string;
  readonly text: string;
  readonly images: readonly string[];
  readonly model: string | undefined;
  readonly live: boolean;
}

async function answer(cli: Cli, question: Question): Promise<number> {
  const { key } = question;
  // The reply comes to this terminal, whatever chat the session belongs to.
  const chat = key.startsWith(`${CHANNEL}:`) ? key.slice(CHANNEL.length + 1) : key;
  const screen = answerView({ terminal: cli.terminal, t: cli.t, chat, silent: cli.json, live: question.live });
  await using app = await cli.compose({ flags: question.model === undefined ? {} : { model: question.model } });
  const detach = app.terminal.attach(screen.show);
  if (app.practice && !cli.json) cli.terminal.err(`${cli.t("agent.practice")}\n`);
  const parts: ContentPart[] = question.text === "" ? [] : [{ type: "text", text: question.text }];
  for (const path of question.images) parts.push(await imagePart(path, app, cli));

  const origin = { channel: CHANNEL, chat };
  const session = await app.agent.sessions.open(key, origin);
  const asking = askApprovals(cli, app, session);
  const unsubscribe = session.subscribe((event) => {
    if (cli.json) cli.terminal.out(jsonLine(event));
    else showEvent(event, cli, screen);
    asking.notice(event);
  });
  // A turn that an earlier process left open goes on first, and its reply is shown.
  await showMissed(session, screen);
  app.agent.wake(key);
  asking.pending(session);
  try {
    const turn = app.agent.send(key, parts, {
      origin,
      from: OPERATOR,
      attended: cli.terminal.interactive,
      key: randomUUID(),
    });
    const outcome = await raceAbort(turn.finished, cli.signal);
    await raceAbort(delivered(session), cli.signal);
    // What it started goes on in this process only as long as somebody waits for it.
    if (app.agent.subagents(session.state.id).length > 0 && !cli.json) cli.terminal.err(`${cli.t("agent.waiting")}\n`);
    await raceAbort(app.agent.idle(), cli.signal);
    if (cli.json) cli.terminal.out(jsonLine(answerLine(key, outcome, screen)));
    if (outcome.reason !== "failed" && outcome.reason !== "budget") return EXIT.done;
    return reportFailure(cli, outcome, screen);
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    const interrupted = isInterrupt(cli.signal);
    if (interrupted) await interrupt(app, session);
    if (!cli.json) cli.terminal.err(`\n${cli.t(interrupted ? "agent.interrupted" : "agent.stopped")}\n`);
    return EXIT.interrupted;
  } finally {
    unsubscribe();
    detach();
    asking.end();
  }
}

/** Replies that an earlier process queued for this terminal and did not live to show. */
async function showMissed(session: Session, screen: AnswerView): Promise<void> {
  for (const { reply, to, kind, parts } of session.state.outbox) {
    if (to.channel !== CHANNEL) continue;
    screen.show({ reply, to, kind, parts });
    await session.commit({ type: "reply.delivered", reply });
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
  pending(session: Session): void;
  end(): void;
}

/** Approvals are asked one after the other on the terminal; without one the policy has already denied them. */
function askApprovals(cli: Cli, app: App, session: Session): Asking {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, cli.signal]);
  let tail: Promise<void> = Promise.resolve();
  const ask = async (approval: Pick<Approval, "call" | "hash" | "prompt">): Promise<void> => {
    cli.terminal.err(`\n${safeText(approval.prompt)}\n`);
    const allow = await askOwner(cli.terminal, cli.t("agent.approve"), signal);
    await app.agent.control(
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
        if (!signal.aborted)
          app.log.warn("approval.not-asked", { message: error instanceof Error ? error.message : "unknown" });
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
async function interrupt(app: App, session: Session): Promise<void> {
  await app.agent.control(session.state.key, { type: "stop", withdraw: true }, OPERATOR);
  await untilIdle(session);
}

/** Resolves when no reply of this terminal waits any more. */
function delivered(session: Session): Promise<void> {
  return whenState(session, ({ outbox }) => outbox.every((item) => item.to.channel !== CHANNEL));
}
