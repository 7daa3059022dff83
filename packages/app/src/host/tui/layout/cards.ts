/** Cards of tool calls: a sign, what is done with what, and at the right how it went and how long. */
import type { Json, JsonObject } from "@margay/core";
import { safeLine, safeText } from "../safe.ts";
import type { CardStatus } from "../rows.ts";
import { folded } from "./folded.ts";
import { columns, lasted, lasting, type Kit, type Unfolded } from "./kit.ts";
import type { Card, Steps } from "./steps.ts";

const SIGNS: Readonly<Record<CardStatus, string>> = {
  proposed: "○",
  asking: "?",
  running: "◐",
  retrying: "◐",
  ok: "✓",
  error: "✗",
  denied: "✗",
  interrupted: "!",
};

export function toolCard(card: Card, width: number, unfolded: Unfolded, kit: Kit, now: number): readonly string[] {
  const { style } = kit;
  const paint = painter(card.status, kit);
  const isRunning = card.status === "running" || card.status === "retrying";
  const name = safeLine(card.name);
  const left = ` ${paint(SIGNS[card.status])} ${isRunning ? style.bold(name) : name}  ${safeLine(argumentOf(card.input))}`;
  const body = safeText(isRunning ? card.progress || card.result : card.result).replace(/\n+$/, "");
  const isDiff = card.name === "edit_file" && card.status === "ok";
  const shown = isDiff ? diffOf(body) : body;
  const line = isDiff ? (text: string): string => diffLine(text, kit) : style.dim;
  return [
    ...columns(left.trimEnd(), rightOf(card, kit, now), width, kit),
    ...folded(shown, width, { fromEnd: isRunning, open: unfolded.tools }, kit, line),
  ];
}

/** `3 steps  read a, b · listed c`. */
export function stepsLine({ cards }: Steps, width: number, kit: Kit): readonly string[] {
  const { style, texts } = kit;
  const did = new Map<string, string[]>();
  for (const { name, input } of cards) did.set(name, [...(did.get(name) ?? []), safeLine(argumentOf(input))]);
  const said = [...did].map(([name, what]) => {
    const known = what.filter((one) => one !== "").join(texts("steps.and"));
    return isKnown(name) ? texts(`did.${name}`, { what: known }) : `${safeLine(name)} ${known}`.trimEnd();
  });
  const ms = cards.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
  const left = ` ${style.good("✓")} ${texts("steps", { count: cards.length })}  ${style.dim(said.join(" · "))}`;
  return columns(left, style.dim(`${lasted(ms, kit)}  ${texts("steps.open")}`), width, kit);
}

/** Those that have a word of their own. */
const KNOWN = ["read_file", "list_dir", "search_files", "write_file", "exec", "web_fetch", "web_search"] as const;

function isKnown(name: string): name is (typeof KNOWN)[number] {
  return (KNOWN as readonly string[]).includes(name);
}

/** The first text that it was given: a path, a command, a question. */
export function argumentOf(input: Json): string {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const found = isObject ? Object.values(input).find((value) => typeof value === "string") : undefined;
  return found ?? "";
}

function painter(status: CardStatus, { style }: Kit): (text: string) => string {
  return {
    proposed: style.dim,
    asking: style.warn,
    running: style.accent,
    retrying: style.warn,
    ok: style.good,
    error: style.bad,
    denied: style.warn,
    interrupted: style.bad,
  }[status];
}

function rightOf(card: Card, kit: Kit, now: number): string {
  const { style, texts } = kit;
  const { status, durationMs, startedAt } = card;
  if (status === "running" && startedAt !== undefined)
    return style.accent(texts("tool.running", { time: lasting(now - startedAt, kit) }));
  const isSilent = status === "proposed" || status === "running" || status === "ok";
  const word = isSilent ? "" : painter(status, kit)(texts(`tool.${status}`));
  const ran = durationMs !== undefined && status !== "denied";
  const time = ran ? style.dim(lasted(durationMs, kit)) : "";
  return [changedLines(card, kit), word, time].filter((part) => part !== "").join("  ");
}

/** `+2 −1` of an edit; of a file that was written as a whole its lines. A diff that was cut says nothing. */
function changedLines({ name, input, status, result }: Card, { style }: Kit): string {
  if (status !== "ok" || typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const { content } = input as JsonObject; // no list: just looked at
  if (name === "write_file" && typeof content === "string") return style.good(`+${linesOf(content).length}`);
  if (name !== "edit_file" || /^… \d+ more lines$/m.test(result)) return "";
  const diff = diffOf(result).split("\n");
  const count = (sign: string): number => diff.filter((line) => line.startsWith(sign)).length;
  return `${style.good(`+${count("+")}`)} ${style.bad(`−${count("-")}`)}`;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** The lines that changed: what is around them, and the names of the file, are known. */
function diffOf(body: string): string {
  const lines = body.split("\n");
  const from = lines.findIndex((line) => line.startsWith("@@"));
  if (from < 0) return body;
  return lines
    .slice(from)
    .filter((line) => /^[+-]/.test(line))
    .map((line) => `${line.slice(0, 1)}  ${line.slice(1)}`)
    .join("\n");
}

function diffLine(line: string, { style }: Kit): string {
  if (line.startsWith("+")) return style.good(line);
  return line.startsWith("-") ? style.bad(line) : style.dim(line);
}
