/** Text of a person → what is asked, in order, and what was not understood. */
import { CHINESE, CHINESE_COURTESY } from "./chinese.ts";
import { splitClauses, type Clause } from "./clauses.ts";
import { ENGLISH, ENGLISH_COURTESY } from "./english.ts";
import type { Intent, Rule } from "./intent.ts";
import { scheduleIntent } from "./when.ts";
import { looksLikePath } from "./words.ts";

export type Understood =
  /** `after`: waits for everything before it. */
  | { readonly status: "known"; readonly intent: Intent; readonly after: boolean }
  | { readonly status: "unknown"; readonly text: string };

/** More requests than this in one message are not started. */
export const MAX_INTENTS = 8;

/** Bounds on the search for sense: pasted text is long and has many commas. */
const MAX_CHARS = 4000;
const MAX_CLAUSES = 24;
const MAX_JOINED = 6;

const RULES: readonly Rule[] = [...ENGLISH, ...CHINESE];

/** @param lastPath The file talked about before this message: what "it" means. */
export function understand(message: string, lastPath?: string): readonly Understood[] {
  if (message.length > MAX_CHARS) return [{ status: "unknown", text: message.trim() }];
  const sentences = message.trim().split(/(?<=[;；\n])|(?<=[.。!！])\s+(?=\S)/u);
  if (!sentences.some((sentence) => schedule(sentence))) return understandNow(message.trim(), lastPath);
  // A time phrase belongs to its own sentence: what stands before and after it is for now.
  const found: Understood[] = [];
  let now = "";
  const flush = (): void => {
    if (now.trim() !== "") found.push(...understandNow(now.trim(), lastPath));
    now = "";
  };
  for (const sentence of sentences) {
    const intent = schedule(sentence);
    if (!intent) now += sentence;
    else {
      flush();
      found.push({ status: "known", intent, after: false });
    }
  }
  flush();
  return found;
}

/** "every day at 9 …": a reminder, or a request that is understood. */
function schedule(sentence: string): Intent | undefined {
  const intent = scheduleIntent(strip(trimEnd(sentence)));
  return intent?.kind === "schedule" && (intent.reminder || known(intent.message)) ? intent : undefined;
}

function understandNow(text: string, lastPath: string | undefined): readonly Understood[] {
  const split = splitClauses(text);
  const clauses: readonly Clause[] = split.length > MAX_CLAUSES ? [{ text, joint: "", after: false }] : split;
  const found: Understood[] = [];
  let path = lastPath;
  for (let at = 0; at < clauses.length;) {
    const reading = readFrom(clauses, at, found.at(-1));
    const intent = reading.intent && withPath(reading.intent, path);
    const after = clauses[at]?.after ?? false;
    found.push(
      intent ? { status: "known", intent, after } : { status: "unknown", text: join(clauses, at, reading.end).trim() },
    );
    if (intent && "path" in intent && intent.path !== undefined) path = intent.path;
    at = reading.end;
  }
  // A greeting in front of a request is manners, not a request.
  return found.length > 1 ? found.filter((part) => part.status === "unknown" || part.intent.kind !== "hello") : found;
}

interface Reading {
  readonly intent?: Intent;
  readonly end: number;
}

/** The shortest run of clauses that makes sense, then as much of the rest as belongs to it. */
function readFrom(clauses: readonly Clause[], at: number, before: Understood | undefined): Reading {
  const near = Array.from({ length: Math.min(MAX_JOINED, clauses.length - at) }, (_, index) => at + index + 1);
  for (const end of new Set([...near, clauses.length])) {
    const text = join(clauses, at, end);
    const matched = match(text);
    if (!matched) continue;
    const last = swallowed(clauses, end, matched.rule.swallow);
    const whole = last === end ? undefined : match(join(clauses, at, last));
    return { intent: (whole ?? matched).intent, end: whole ? last : end };
  }
  // "read a.txt, b.txt and c.txt": a bare file name continues the reading before it.
  const bare = trimEnd(clauses[at]?.text ?? "");
  if (before?.status === "known" && before.intent.kind === "read" && looksLikePath(bare) && !/\s/.test(bare))
    return { intent: { ...before.intent, path: bare }, end: at + 1 };
  return { end: at + 1 };
}

function swallowed(clauses: readonly Clause[], end: number, swallow: Rule["swallow"]): number {
  if (swallow === "rest") return clauses.length;
  if (swallow !== "unknown") return end;
  const rest = clauses
    .slice(end)
    .findIndex(
      (clause) =>
        clause.after || clause.joint.includes("\n") || (!clause.joint.includes(";") && isRequest(clause.text)),
    );
  return rest < 0 ? clauses.length : end + rest;
}

/** "echo two" after a command is more of the command, not a wish to hear "two". */
function isRequest(text: string): boolean {
  const matched = match(text);
  return matched !== undefined && matched.intent.kind !== "say";
}

function join(clauses: readonly Clause[], at: number, end: number): string {
  return clauses
    .slice(at, end)
    .map((clause, index) => (index === 0 ? clause.text : clause.joint + clause.text))
    .join("");
}

function known(text: string): boolean {
  return understand(text).every((part) => part.status === "known");
}

/** As typed first, so that courtesy words that carry the sense ("你能做什么") are not lost. */
function match(text: string): { readonly rule: Rule; readonly intent: Intent } | undefined {
  const typed = trimEnd(text);
  const readings = new Set([
    typed,
    strip(typed),
    trimEnd(strip(typed).replace(/(?:\s+please|\s+for me|\s+now|吗|呢|吧|好吗|可以吗)$/iu, "")),
  ]);
  for (const reading of readings) {
    if (reading === "") continue;
    for (const rule of RULES) {
      const groups = rule.pattern.exec(reading)?.groups;
      const intent = rule.pattern.test(reading) ? rule.intent(groups ?? {}) : undefined;
      if (intent) return { rule, intent };
    }
  }
  return undefined;
}

function trimEnd(text: string): string {
  return (
    text
      .trim()
      .replace(/[\s.!?。！？，,；;：:]+$/u, "")
      .trim() || text.trim()
  );
}

function strip(text: string): string {
  let rest = text.trim();
  for (;;) {
    const shorter = rest.replace(ENGLISH_COURTESY, "").replace(CHINESE_COURTESY, "");
    if (shorter === rest || shorter.trim() === "") return rest;
    rest = shorter.trim();
  }
}

/** "it" is the file spoken of before. */
function withPath(intent: Intent, path: string | undefined): Intent | undefined {
  if (
    !("path" in intent) ||
    intent.path === undefined ||
    !/^(?:it|this|that|that file|this file|它|这个文件|这个|那个文件)$/iu.test(intent.path)
  )
    return intent;
  return path === undefined ? undefined : { ...intent, path };
}
