/**
 * The chat as lines, for screen readers, dumb terminals and logs: no escape sequence, nothing drawn twice, nothing taken back.
 * What is answered comes a line at a time; a question is answered by a line.
 */
import { createInterface } from "node:readline";
import { isIdle, isTemporary, messageOf, shownText, untilAborted, untilIdle } from "@margay/core/internal";
import type { Commit, OutboundMessage } from "@margay/core";
import { OPERATOR } from "../../operator.ts";
import { followCommits } from "../../live/session-commits.ts";
import type { ChatApp, ChatOptions } from "../chat-app.ts";
import { leaveBehind } from "../chat-session.ts";
import { chatOf } from "../chat-state.ts";
import { createConversation, isShown } from "../conversation.ts";
import { openHistory } from "../input/history.ts";
import { safeLine, safeText } from "../safe.ts";
import { chatTexts } from "../texts.ts";
import { chosen } from "./choose.ts";
import { createLines } from "./lines.ts";
import { plainInput } from "./input.ts";
import type { PlainChat } from "./plain-chat.ts";
import { echo, sayRemedies } from "./remedies.ts";

export interface PlainOptions extends ChatOptions {
  readonly out: (text: string) => void;
}

/** Until the person leaves: the end of the input, `/quit`, or Ctrl-C while nothing runs. @returns the exit code. */
export async function runPlain(app: ChatApp, { out, ...options }: PlainOptions): Promise<number> {
  const quit = new AbortController();
  const ended = AbortSignal.any([quit.signal, options.signal, app.lost].filter((signal) => signal !== undefined));
  if (ended.aborted) return 0;
  const texts = chatTexts(app.language, app.command);
  const lines = createLines(out, texts);
  const input = createInterface({ input: process.stdin, terminal: false });
  const typed = input[Symbol.asyncIterator]();
  const sessionKey = app.chooses === true ? await chosen(app, { say: lines.say, texts, typed, ended }) : app.sessionKey;
  if (sessionKey === undefined || ended.aborted) {
    input.close();
    return 0;
  }
  const chat = await openPlain({ ...app, sessionKey }, { quit, lines, texts });
  const unguard = onInterrupt(chat);
  const detach = app.terminal.attach((message) => receive(chat, message));
  chat.say(texts("plain.hello", { key: safeLine(sessionKey) }));
  if (isTemporary(sessionKey)) chat.say(texts("temporary"));
  sayLast(chat);
  if (app.practice()) chat.say(texts("practice"));
  chat.lines.ready();
  let work: Promise<void> | undefined;
  try {
    work = app.agent.run(ended).catch((error: unknown) => {
      if (!ended.aborted) chat.say(texts("failed", { reason: messageOf(error) }));
    });
    void takeLines(chat, typed, ended).finally(() => quit.abort());
    await untilAborted(ended);
    if (quit.signal.aborted && app.lost === undefined) await leave(chat);
    if (app.lost?.aborted !== true) await leaveBehind(app, sessionKey).catch(() => {}); // it is hidden in lists
  } finally {
    quit.abort();
    if (chat.keyOf !== undefined) echo(true);
    unguard();
    input.close();
    detach();
    await work;
    chat.close();
  }
  return 0;
}

/** One after the other, until there are no more; what was asked is answered first. */
async function takeLines(chat: PlainChat, typed: AsyncIterator<string>, ended: AbortSignal): Promise<void> {
  for (let next = await typed.next(); next.done !== true; next = await typed.next())
    await plainInput(chat, next.value).catch((error: unknown) =>
      chat.say(chat.texts("failed", { reason: safeLine(messageOf(error)) })),
    );
  await settled(chat, ended);
}

async function openPlain(
  app: ChatApp,
  { quit, lines, texts }: Pick<PlainChat, "quit" | "lines" | "texts">,
): Promise<PlainChat> {
  const { sessionKey: key } = app;
  const session = await app.agent.sessions.open(key, { channel: "cli", chat: chatOf(key) });
  const conversation = createConversation(session.state.id);
  let meanwhile: Commit[] | undefined = [];
  const history = openHistory(app.home);
  const chat: PlainChat = {
    ...{ app, key, session, conversation, lines, texts, quit, history, say: lines.say },
    ...{ refusing: undefined, remedies: undefined, keyOf: undefined },
    close: () => close(),
  };
  const take = (commit: Commit): void => {
    conversation.commit(commit);
    for (const record of commit.records) lines.record(record);
    for (const question of conversation.shown.approvals) lines.question(question);
    if (conversation.view.turn !== undefined) return;
    lines.ready();
    void sayRemedies(chat).catch((error: unknown) => lines.say(safeLine(messageOf(error))));
  };
  const close = followCommits(
    session,
    {
      commit: (commit) => {
        if (meanwhile === undefined) take(commit);
        else meanwhile.push(commit);
      },
      live: (event) => {
        if (meanwhile === undefined) lines.live(event);
      },
    },
    (error) => lines.say(safeLine(error.message)),
  );
  for await (const commit of session.history()) conversation.commit(commit);
  for (const commit of meanwhile) take(commit);
  meanwhile = undefined;
  app.moved?.(key);
  return chat;
}

/** Where a conversation that goes on stood: what was asked last, and the answer. */
function sayLast({ conversation: { shown }, say, texts }: PlainChat): void {
  const from = shown.rows.findLastIndex((row) => row.kind === "user" && row.name === undefined);
  if (from < 0) return;
  say(texts("plain.last"));
  for (const row of shown.rows.slice(from)) {
    if (row.kind === "user") say(`› ${safeText(row.text)}`);
    if (row.kind === "assistant") say(safeText(row.text));
  }
}

/** What this conversation said was written already. */
function receive({ conversation, lines, key, texts }: PlainChat, { kind, reply, parts, to }: OutboundMessage): void {
  const text = shownText(parts);
  if (kind === "progress" || kind === "approval" || isShown(conversation, reply, text)) return;
  if (to.chat !== chatOf(key)) lines.say(texts("elsewhere", { key: safeLine(`${to.channel}:${to.chat}`) }));
  lines.say(safeText(text));
}

/** Ctrl-C ends the turn, as everywhere; where nothing runs it leaves. */
function onInterrupt(chat: PlainChat): () => void {
  const others = process.listeners("SIGINT");
  const interrupted = (): void => {
    if (chat.conversation.view.turn === undefined) return chat.quit.abort();
    const stop = chat.app.agent.control(chat.key, { type: "stop", withdraw: false }, OPERATOR);
    stop.catch((error: unknown) => chat.say(safeLine(messageOf(error))));
  };
  // Those of the process would end it.
  for (const other of others) process.off("SIGINT", other);
  process.on("SIGINT", interrupted);
  return () => {
    process.off("SIGINT", interrupted);
    for (const other of others) process.on("SIGINT", other);
  };
}

/** The input has ended: what was asked is answered first. */
async function settled({ session }: PlainChat, ended: AbortSignal): Promise<void> {
  await Promise.race([untilIdle(session), untilAborted(ended)]);
}

/** A person who leaves wants nothing to go on behind their back. */
async function leave({ app, key, session }: PlainChat): Promise<void> {
  if (isIdle(session.state)) return;
  await app.agent.control(key, { type: "stop", withdraw: true }, OPERATOR);
  await untilIdle(session);
}
