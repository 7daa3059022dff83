/** The line below the editor: model, tokens, cache share, cost, context use. Drops what does not fit. */
import type { Usage } from "@margay/core";
import type { ChatTexts } from "./texts.ts";

export interface StatusValues {
  readonly model: string;
  readonly practice: boolean;
  readonly session: string;
  readonly usage: Usage;
  readonly contextTokens: number;
  readonly contextWindow: number;
}

/** @param measure Columns of a text. @returns at most `width` columns. */
export function statusLine(
  values: StatusValues,
  width: number,
  texts: ChatTexts,
  measure: (text: string) => number,
): string {
  const { usage } = values;
  const about = usage.estimated === true ? "~" : "";
  const context = Math.round((100 * values.contextTokens) / Math.max(1, values.contextWindow));
  // Most important first: the end is dropped when the terminal is narrow.
  const parts = [
    values.practice ? texts("status.practice") : values.model,
    texts("status.context", { percent: context }),
    ...(usage.costUsd !== undefined && usage.costUsd > 0
      ? [`$${usage.costUsd < 0.1 ? usage.costUsd.toFixed(4) : usage.costUsd.toFixed(2)}`]
      : []),
    texts("status.tokens", { input: about + short(usage.input), output: about + short(usage.output) }),
    ...(usage.input > 0 && !values.practice
      ? [texts("status.cache", { percent: Math.round((100 * usage.cacheRead) / usage.input) })]
      : []),
    values.session,
  ];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line} · ${part}`;
    if (measure(longer) > width) break;
    line = longer;
  }
  return line;
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}
