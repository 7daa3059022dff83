/** What happens in a conversation, as lines that are written once. */
import { askedQuestion } from "../../../protocol/asked-question.ts";
import type { JournalRecord } from "@margay/core";
import { bySomeKind, shownText, type LiveEvent, type SomeKinds } from "@margay/core/internal";
import { callLines, factsOf } from "../layout/approval-panel.ts";
import type { PendingApproval } from "../conversation.ts";
import { safeLine, safeText, visibleText } from "../safe.ts";
import type { ChatTexts } from "../texts.ts";
import { toolHint } from "../tool-hint.ts";

export interface Lines {
  record(record: JournalRecord): void;
  live(event: LiveEvent): void;
  /** Written when it is new. */
  question(question: PendingApproval): void;
  say(text: string): void;
  /** Says that the person has the word, once. */
  ready(): void;
}

export function createLines(out: (text: string) => void, texts: ChatTexts): Lines {
  const printed: Printed = { answer: "", line: "" };
  const asked = new Set<string>();
  let isReady = false;
  const say = (text: string): void => {
    isReady = false;
    out(`${text.replace(/\n+$/, "")}\n`);
  };
  const write = (text: string): void => {
    printed.answer += text;
    const complete = (printed.line + text).split("\n");
    printed.line = complete.pop() ?? "";
    for (const line of complete) say(safeText(line));
  };
  const rest = (text: string): void => {
    // What was written already is not written again; another beginning is another answer.
    write(text.startsWith(printed.answer) ? text.slice(printed.answer.length) : `\n${text}`);
    if (printed.line !== "") say(safeText(printed.line));
    Object.assign(printed, { answer: "", line: "" });
  };
  const context: Context = { say, write, rest, texts };
  return {
    say,
    record: (record) => bySomeKind(RECORDS, record, context),
    live: (event) => bySomeKind(EVENTS, event, context),
    question: (question) => {
      if (asked.has(question.call)) return;
      asked.add(question.call);
      say(questionText(question, texts));
    },
    ready: () => {
      if (!isReady) say(texts("plain.ready"));
      isReady = true;
    },
  };
}

/** Of the answer that comes: all of it, and the line that is not complete. */
interface Printed {
  answer: string;
  line: string;
}

interface Context {
  readonly say: (text: string) => void;
  readonly write: (text: string) => void;
  readonly rest: (text: string) => void;
  readonly texts: ChatTexts;
}

const EVENTS: SomeKinds<LiveEvent, [Context], void> = {
  "text.delta": ({ text }, { write }) => write(text),
  "model.waiting": (_event, { say, texts }) => say(texts("doing.waiting")),
  "text.restarted": (_event, { rest, texts, say }) => {
    rest("");
    say(texts("plain.again"));
  },
};

const RECORDS: SomeKinds<JournalRecord, [Context], void> = {
  "model.responded": ({ message: { parts, finish } }, { rest, say, texts }) => {
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    if (text.trim() !== "") rest(text);
    if (finish === "cancelled" || finish === "cut") say(texts("cut"));
    for (const part of parts) if (part.type === "tool-call") say(`◐ ${safeLine(toolHint(part.name, part.input))}`);
  },
  "model.failed": ({ error, retryAt }, { say, texts }) => {
    if (retryAt !== undefined) say(texts("doing.retrying", { reason: safeLine(error.message) }));
  },
  "tool.finished": ({ message: { name, status, parts }, durationMs }, { say, texts }) => {
    const how = status === "ok" ? "" : ` ${texts(`tool.${status}`)}`;
    say(`${status === "ok" ? "✓" : "✗"} ${safeLine(name)}${how} ${(durationMs / 1000).toFixed(1)} s`);
    const output = safeText(shownText(parts)).trim().split("\n");
    for (const line of output.slice(0, SHOWN_LINES)) if (line !== "") say(`│ ${line}`);
    if (output.length > SHOWN_LINES) say(`│ ${texts("plain.more", { count: output.length - SHOWN_LINES })}`);
  },
  "turn.ended": ({ reason, notice }, { say, texts }) => {
    if (notice !== undefined) say(safeText(notice));
    else if (reason === "cancelled") say(texts("stopped"));
  },
};

const SHOWN_LINES = 4;

function questionText(question: PendingApproval, texts: ChatTexts): string {
  const { grant } = question;
  return [
    texts(askedQuestion(question.name, question.rule), { tool: question.name }),
    ...callLines(question).map(visibleText),
    ...factsOf(question, { texts })
      .filter(([label]) => label !== texts("ask.covers"))
      .map(([label, text]) => (label === "" ? text : `${label}: ${text}`)),
    texts(grant === undefined ? "plain.answer" : "plain.answerRemember"),
    ...(grant === undefined ? [] : [`${texts("ask.covers")} ${visibleText(grant.shown)}`]),
  ].join("\n");
}
