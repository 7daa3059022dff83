/** The interactive chat in a terminal: a view of one session, and what the person types into it. */
import type { OutboundMessage } from "@margay/core";
import { isIdle, messageOf, shownText, untilAborted, untilIdle } from "@margay/core/internal";
import { chatTexts } from "./texts.ts";
import type { ChatApp, ChatOptions } from "./chat-app.ts";
import { chatOf, createChat, draw, guarded, keyOf, say, type Chat } from "./chat-state.ts";
import { chooseSession, closeSession, leaveBehind, openSession, refreshFacts } from "./chat-session.ts";
import { isShown } from "./conversation.ts";
import { every } from "./every.ts";
import { pressed } from "./chat-keys.ts";
import { pasted, submit } from "./chat-input.ts";
import { keepQueued } from "./queue.ts";
import { openHistory } from "./input/history.ts";
import { createImages } from "./input/images.ts";
import { readKeymap } from "./input/keymap.ts";
import type { Kit } from "./layout/kit.ts";
import { guardTerminal } from "./restore.ts";
import { createScreen } from "./screen.ts";
import { createStyle } from "./style.ts";

/** How old it may be that somebody waits in another conversation. */
const FACTS_MS = 15_000;

/**
 * Runs until the person leaves. Also runs the agent: replies are delivered and interrupted turns go on.
 * @returns the exit code.
 */
export async function runChat(app: ChatApp, options: ChatOptions = {}): Promise<number> {
  const quit = new AbortController();
  const ended = AbortSignal.any([quit.signal, options.signal, app.lost].filter((signal) => signal !== undefined));
  const kit: Kit = {
    pi: await import("@earendil-works/pi-tui"),
    style: createStyle(options.color ?? true),
    texts: chatTexts(app.language, app.command),
  };
  if (ended.aborted) return 0;
  let code = 0;
  const chat = start(app, kit, quit);
  const unguard = guardTerminal(chat.screen.stop, (signal) => {
    code = signal === "SIGTERM" ? 143 : 129; // 128 + signal number, as shells report it
    quit.abort();
  });
  const detach = app.terminal.attach((message) => receive(chat, message));
  app.whenConfigured?.(() => draw(chat));
  using _asking = every(FACTS_MS, () => void refreshFacts(chat));
  let work: Promise<void> | undefined;
  try {
    // First of all: until then the terminal echoes what is typed, and makes another key of Enter.
    chat.screen.start();
    // Before the agent runs: what is at work then was interrupted.
    await openSession(chat, app.sessionKey);
    if (ended.aborted) return code;
    if (app.chooses === true) void guarded(chat, chooseSession(chat, undefined));
    if (app.lost === undefined && interrupted(chat)) say(chat, "info", kit.texts("resumed"));
    work = app.agent.run(ended).catch((error: unknown) => {
      if (!ended.aborted) say(chat, "error", kit.texts("failed", { reason: messageOf(error) }));
    });
    await untilAborted(ended);
    const isLeft = (quit.signal.aborted && code === 0) || options.interrupted?.() === true;
    if (isLeft && app.lost === undefined) await leave(chat);
    if (chat.opened !== undefined && app.lost?.aborted !== true)
      await leaveBehind(app, chat.opened.key).catch(() => {}); // it is hidden in lists
  } finally {
    quit.abort();
    chat.own?.abort();
    detach();
    chat.screen.stop();
    unguard();
    if (app.lost === undefined && chat.opened?.conversation.view.turn !== undefined)
      process.stdout.write(`${kit.texts("bye")}\n`);
    await work;
    closeSession(chat);
  }
  return code;
}

function start(app: ChatApp, kit: Kit, quit: AbortController): Chat {
  const keymap = readKeymap(app.home, kit.texts, kit.pi);
  const screen = createScreen(app, kit, {
    // Whether a text is a message or an answer shows when the conversation was read.
    submit: (text) =>
      void guarded(
        chat,
        chat.read.promise.then(() => submit(chat, text)),
      ),
    keep: (text) => keepQueued(chat, text),
    key: (data, editor) => pressed(chat, keymap.actionOf(data), data, editor) || pasted(chat, data),
  });
  const images = createImages(app.put, (number) => kit.texts("image", { number }));
  const chat: Chat = createChat(app, { kit, quit, screen, images, history: openHistory(app.home) });
  if (keymap.problem !== undefined) say(chat, "error", keymap.problem);
  return chat;
}

/** A person who leaves wants nothing to go on behind their back; what is at work ends, in the journal too. */
async function leave({ app, opened, sender }: Chat): Promise<void> {
  if (opened === undefined || isIdle(opened.session.state)) return;
  await app.agent.control(opened.key, { type: "stop", withdraw: true }, sender);
  await untilIdle(opened.session);
}

/** The session is not idle: while the agent does not run yet, an earlier process left it so. */
function interrupted({ opened }: Chat): boolean {
  return opened !== undefined && !isIdle(opened.session.state);
}

/** A reply from the outbox: what this session said was streamed already. */
function receive(chat: Chat, { kind, reply, parts, to }: OutboundMessage): void {
  const text = shownText(parts);
  if (kind === "progress" || kind === "approval" || chat.received.has(reply)) return;
  if (chat.opened !== undefined && isShown(chat.opened.conversation, reply, text)) return;
  chat.received.add(reply);
  if (to.channel === "cli" && to.chat !== chatOf(keyOf(chat)))
    say(chat, "info", chat.kit.texts("elsewhere", { key: `${to.channel}:${to.chat}` }));
  if (chat.opened?.away.has(reply) === true) say(chat, "info", chat.kit.texts("away"));
  say(chat, kind === "error" ? "error" : "answer", text);
}
