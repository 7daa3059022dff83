/** The visible answer: the texts of all rounds joined by blank lines, or the last one alone, cut at `stop`. */
import type { AnswerEvent } from "./events.ts";
import { createStopText } from "./stop-text.ts";

export interface ReplyTextOptions {
  /** `gateway.api.text`. */
  readonly rounds: "all" | "final";
  readonly stop: readonly string[];
}

export interface ReplyText {
  /** @returns what a stream shows now. Pieces of a stream make the same text as one answer. */
  push(event: AnswerEvent): string;
  /** @returns what was held back. */
  end(): string;
  /** All of it so far; what a restarted round said before is not in it. */
  readonly text: string;
  /** A `stop` sequence ended it. */
  readonly stopped: boolean;
}

const BETWEEN = "\n\n";

export function createReplyText({ rounds, stop }: ReplyTextOptions): ReplyText {
  const texts: string[] = [];
  const streamed = createStopText(stop);
  let last = -1;
  return {
    push: (event) => {
      if (event.type === "restarted") texts[event.round] = "";
      if (event.type !== "text") return "";
      const { round, text } = event;
      texts[round] = (texts[round] ?? "") + text;
      if (rounds === "final") return "";
      const between = round !== last && last >= 0 ? BETWEEN : "";
      last = round;
      return streamed.push(between + text);
    },
    end: () => {
      if (rounds === "final") return cut(texts.at(-1) ?? "", stop);
      return streamed.end();
    },
    get text() {
      const said = texts.filter((text) => text !== undefined && text !== "");
      return cut(rounds === "final" ? (said.at(-1) ?? "") : said.join(BETWEEN), stop);
    },
    get stopped() {
      const said = texts.filter((text) => text !== undefined && text !== "").join(BETWEEN);
      return stop.some((one) => said.includes(one));
    },
  };
}

function cut(text: string, stop: readonly string[]): string {
  const whole = createStopText(stop);
  const shown = whole.push(text);
  return whole.matched ? shown : shown + whole.end();
}
