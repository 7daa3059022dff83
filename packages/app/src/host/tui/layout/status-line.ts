/** The line below the editor: what it costs, and at the right what a key does now, or how long a question waits. */
import type { Usage } from "@margay/core";
import type { ChatFacts } from "../facts.ts";
import { fit, lasting, NARROW, WIDE, type Kit } from "./kit.ts";

export interface StatusValues {
  readonly model: string;
  readonly practice: boolean;
  readonly session: string;
  readonly usage: Usage;
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly facts: ChatFacts;
  readonly isAtWork: boolean;
  readonly waiting: number;
  /** How long a question can still be answered. */
  readonly leftMs?: number;
}

/** @returns lines of at most `width` columns. The rightmost facts go first when it is narrow; what waits never does. */
export function statusLines(values: StatusValues, width: number, kit: Kit): readonly string[] {
  const { pi, style, texts } = kit;
  const isAsked = values.leftMs !== undefined;
  const right = isAsked || width >= NARROW ? rightOf(values, width, kit) : "";
  const rightWidth = pi.visibleWidth(right);
  const parts = partsOf(values, width, kit);
  const room = Math.max(0, width - 2 - (right === "" ? 0 : rightWidth + 2));
  let left = "";
  for (const part of parts) {
    const longer = left === "" ? part : `${left} · ${part}`;
    if (pi.visibleWidth(longer) > room) break;
    left = longer;
  }
  const [model = "", ...rest] = left.split(" · ");
  const shown = ` ${style.bold(model)}${style.dim(rest.map((part) => ` · ${part}`).join(""))}`;
  const gap = width - 1 - pi.visibleWidth(shown) - rightWidth;
  const line = right === "" || gap < 2 ? shown : `${shown}${" ".repeat(gap)}${right}`;
  const lines = left === "" && isAsked ? [fit(` ${right}`, width, kit)] : [fit(line, width, kit)];
  if (width < WIDE) return lines;
  return [...lines, fit(style.dim(` ${texts(values.isAtWork ? "keys.work" : "keys.rest")}`), width, kit)];
}

function rightOf({ leftMs, isAtWork, waiting, facts }: StatusValues, width: number, kit: Kit): string {
  const { style, texts } = kit;
  if (leftMs !== undefined) return style.bold(style.warn(texts("status.waits", { time: clock(leftMs) })));
  const elsewhere = facts.waits > 0 ? style.warn(texts("status.elsewhere", { count: facts.waits })) : "";
  if (isAtWork && width < WIDE)
    return style.dim([texts("escStops"), ...(waiting > 0 ? [texts("altUpEdits")] : [])].join(" · "));
  return elsewhere;
}

/** Most important first. */
function partsOf(values: StatusValues, width: number, { texts }: Kit): readonly string[] {
  const { usage, facts, practice } = values;
  const isWide = width >= WIDE;
  const percent = Math.round((100 * values.contextTokens) / Math.max(1, values.contextWindow));
  const model = practice ? texts("status.practice") : values.model;
  const about = usage.estimated === true ? "~" : "";
  return [
    facts.thinking === undefined || practice ? model : `${model} ${facts.thinking}`,
    isWide
      ? texts("status.contextOf", { percent, window: short(values.contextWindow) })
      : texts("status.context", { percent }),
    ...(usage.costUsd !== undefined && usage.costUsd > 0 ? [dollars(usage.costUsd)] : []),
    ...todayOf(facts, texts),
    ...(usage.input > 0 && !practice
      ? [texts("status.cache", { percent: Math.round((100 * usage.cacheRead) / usage.input) })]
      : []),
    ...(isWide
      ? [texts("status.tokens", { input: about + short(usage.input), output: about + short(usage.output) })]
      : []),
    values.session,
  ];
}

function todayOf({ todayUsd, dayUsd }: ChatFacts, texts: Kit["texts"]): readonly string[] {
  if (dayUsd !== undefined) return [texts("status.todayOf", { spent: dollars(todayUsd ?? 0), limit: dollars(dayUsd) })];
  return todayUsd === undefined || todayUsd === 0 ? [] : [texts("status.today", { spent: dollars(todayUsd) })];
}

function dollars(usd: number): string {
  if (usd === 0 || usd >= 0.1) return `$${Number.isInteger(usd) ? usd : usd.toFixed(2)}`;
  return `$${usd.toFixed(4)}`;
}

/** `4:52`. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** What the answer under way is at, and since when: `◐ asking mock/first  3 s`. Nothing while a card says it. */
export function workLine(what: string, since: number | undefined, now: number, width: number, kit: Kit): string {
  const { style } = kit;
  const time = since === undefined ? "" : `  ${lasting(now - since, kit)}`;
  return fit(` ${style.accent("◐")} ${what}${style.dim(time)}`, width, kit);
}
