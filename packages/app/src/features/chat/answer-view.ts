/** One answer on the terminal: streamed as it arrives; what was streamed is not printed a second time. */
import { shownText } from "@margay/core/internal";
import type { OutboundMessage } from "@margay/core";
import type { Translate } from "../../texts/translate.ts";
import { safeText, type Terminal } from "../../host/cli/output.ts";

/** Of the terminal. */
export const CHANNEL = "cli";

export type ShownReply = Pick<OutboundMessage, "reply" | "to" | "kind" | "parts">;

export interface AnswerView {
  /** A reply that is complete. */
  show(message: ShownReply): void;
  /** Text of the answer while it arrives. */
  stream(text: string): void;
  /** The text so far is complete: what comes next is another response. */
  endOfResponse(): void;
  /** The text so far is void: the answer starts again. */
  restart(): void;
  /** Another process goes on with it: what is complete is on the screen, what it streams begins anew. */
  resume(): void;
  /** The text of every reply, for a caller that prints it itself. */
  readonly replies: readonly string[];
}

export interface AnswerViewOptions {
  readonly terminal: Terminal;
  readonly t: Translate;
  /** The chat this command talks in. */
  readonly chat: string;
  /** Print nothing: the caller prints JSON. */
  readonly silent: boolean;
  /** Print text as it arrives. */
  readonly live: boolean;
}

/** Prints, and knows whether the cursor stands at the start of a line. */
function linePrinter(terminal: Terminal) {
  let fresh = true;
  const print = (text: string): void => {
    if (text === "") return;
    const clean = safeText(text);
    terminal.out(clean);
    fresh = clean.endsWith("\n");
  };
  const endLine = (): void => {
    if (!fresh) print("\n");
  };
  return {
    print,
    endLine,
    printLine: (text: string): void => {
      endLine();
      print(text);
      endLine();
    },
    atStart: (): boolean => fresh,
  };
}

export function answerView({ terminal, t, chat, silent, live }: AnswerViewOptions): AnswerView {
  /** Printed of the responses of this turn, raw, as the model wrote it. */
  let printed = "";
  /** A response ended: the next text stands in a paragraph of its own. */
  let gap = false;
  /** What was streamed came from a process that has ended. */
  let resumed = false;
  const shown = new Set<OutboundMessage["reply"]>();
  const replies: string[] = [];

  const { print, printLine, endLine, atStart } = linePrinter(terminal);

  const showReply = (text: string): void => {
    const rest = remainder(printed, text);
    printed = "";
    gap = false;
    resumed = false;
    if (rest === text) endLine();
    print(rest);
    endLine();
  };

  const restart = (): void => {
    resumed = false;
    if (silent || printed === "") return;
    endLine();
    printed = "";
    gap = false;
    terminal.err(`${t("agent.restarted")}\n`);
  };

  return {
    replies,
    stream: (text) => {
      if (silent || !live || text === "") return;
      if (resumed) restart();
      if (gap) print(atStart() ? "\n" : "\n\n");
      gap = false;
      printed += text;
      print(text);
    },
    endOfResponse: () => {
      gap = printed !== "";
    },
    restart,
    resume: () => {
      resumed = printed !== "";
    },
    show: (message) => {
      if (shown.has(message.reply)) return; // its process ended before it heard so
      shown.add(message.reply);
      const text = shownText(message.parts);
      if (message.kind !== "progress" && message.kind !== "approval") replies.push(text);
      if (!silent) show(message, text);
    },
  };

  function show(message: ShownReply, text: string): void {
    if (message.to.chat !== chat)
      terminal.err(`${t("agent.earlier", { chat: safeText(`${message.to.channel}:${message.to.chat}`) })}\n`);
    switch (message.kind) {
      case "reply":
        showReply(text);
        return;
      case "message":
      case "command":
        printLine(text);
        return;
      case "error":
        endLine();
        terminal.err(`${safeText(text)}\n`);
        return;
      // The text beside tool calls was streamed; approvals are asked by the command itself.
      case "progress":
      case "approval":
        return;
    }
  }
}

/** What of the reply is not on the screen yet: all of it, its end, or nothing. */
function remainder(printed: string, reply: string): string {
  if (printed.trim() === "") return reply;
  if (printed.trimEnd().endsWith(reply.trimEnd())) return "";
  for (let length = Math.min(printed.length, reply.length); length > 0; length -= 1)
    if (reply.startsWith(printed.slice(printed.length - length))) return reply.slice(length);
  return reply;
}
