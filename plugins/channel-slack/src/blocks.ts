/** What a message looks like: its text, and the buttons below it. Pure. */
import type { OutboundPiece } from "@margay/core/plugin";
import type { Wire } from "./json.ts";

export interface Saying {
  readonly text: string;
  /** `text` is in Slack's markup, and not plain. */
  readonly isMarkup: boolean;
  /** Without any markup, for notifications. Default: `text`. */
  readonly plain?: string | undefined;
  readonly actions?: OutboundPiece["actions"];
}

/** Of one section. */
const MAX_SECTION = 3000;
const MAX_TEXT = 4000;
const MAX_LABEL = 75;
/** In one row. */
const MAX_BUTTONS = 5;
const STYLES = { allow: "primary", deny: "danger", plain: undefined } as const;

/** The same for a new message and for one that is changed. */
export function looksOf({ text, isMarkup, plain = text, actions = [] }: Saying): Wire {
  const sections = (isMarkup ? [text] : chunks(text)).map((part) => ({
    type: "section",
    // Nothing in it becomes a link or a mention that is not written as one.
    text: isMarkup ? { type: "mrkdwn", text: part, verbatim: true } : { type: "plain_text", text: part, emoji: false },
    expand: true,
  }));
  const rows = Array.from({ length: Math.ceil(actions.length / MAX_BUTTONS) }, (_, row) => ({
    type: "actions",
    elements: actions.slice(row * MAX_BUTTONS, (row + 1) * MAX_BUTTONS).map(({ token, label, style }, column) => ({
      type: "button",
      action_id: `margay-${row}-${column}`,
      value: token,
      text: { type: "plain_text", text: cutTo(label, MAX_LABEL), emoji: true },
      ...(STYLES[style] !== undefined && { style: STYLES[style] }),
    })),
  }));
  return { text: cutTo(escaped(cutTo(plain, MAX_TEXT)), MAX_TEXT), blocks: [...sections, ...rows] };
}

/** Text of anybody opens nothing: no mention, no link, no command. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function chunks(text: string): readonly string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== "";) {
    const part = cutTo(rest, MAX_SECTION);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}

/** Never between the halves of a character, nor in an escaped sign. */
function cutTo(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const whole = cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
  return whole.replace(/&[a-z]{0,3}$/, "") || whole;
}
