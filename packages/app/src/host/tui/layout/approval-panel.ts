/** The question before a call: exactly what would run, with nothing invisible in it, why it asks, and which key answers. */
import type { JsonObject } from "@margay/core";
import { askedQuestion } from "../../../protocol/asked-question.ts";
import { ASKED_WORDS } from "../../../protocol/asked-words.en.ts";
import { ALLOW, ALWAYS, DENY, IN_THIS_CHAT } from "../../cli/answers.zh.ts";
import type { PendingApproval } from "../conversation.ts";
import { visibleText } from "../safe.ts";
import { fit, indented, INDENT, rule, wrap, type Kit } from "./kit.ts";

const FOLDED_LINES = 12;

export function approvalPanel(
  pending: readonly PendingApproval[],
  width: number,
  unfolded: boolean,
  kit: Kit,
): readonly string[] {
  const [first] = pending;
  if (!first) return [];
  const { style, texts } = kit;
  const room = width - INDENT - 1;
  const count = pending.length > 1 ? ` (${texts("ask.of", { index: 1, count: pending.length })})` : "";
  const raw = shownCall(first);
  const shown = raw.map(visibleText);
  const body = shown.flatMap((line) => wrap(line, room, kit));
  const kept = unfolded ? body : body.slice(0, FOLDED_LINES);
  const more = body.length - kept.length;
  const isHidden = shown.some((line, index) => line !== raw[index]);
  return [
    rule(
      style.bold(style.warn(`${texts(askedQuestion(first.name, first.rule), { tool: first.name })}${count}`)),
      width,
      kit,
    ),
    "",
    ...kept.map((line) => indented(style.bold(line))),
    ...(more > 0 ? [fit(style.warn(indented(texts("lines", { count: more }))), width, kit)] : []),
    ...(isHidden ? wrap(style.bad(texts("ask.hidden")), room, kit).map(indented) : []),
    "",
    ...factsOf(first, kit).flatMap(([label, text]) => fact(label, text, { room, kit })),
    "",
    ...keyLines(first, room, kit).map(indented),
  ];
}

/** As many lines as are needed: a key and its word stay together. */
function keyLines({ grant }: PendingApproval, room: number, { pi, style, texts }: Kit): readonly string[] {
  const keys = [
    ["y", "ask.once"],
    ...(grant === undefined ? [] : [["c", "ask.chat"] as const]),
    ...(grant?.always === true ? [["a", "ask.always"] as const] : []),
    ["n", "ask.no"],
    ["r", "ask.because"],
  ] as const;
  const lines: string[] = [];
  for (const [key, word] of keys) {
    const one = `${style.key(`[${key}]`)} ${texts(word)}`;
    const last = lines.at(-1);
    const longer = last === undefined ? one : `${last}   ${one}`;
    if (last === undefined || pi.visibleWidth(longer) > room) lines.push(one);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** A command of one line is shown as it is; what could pretend to be a line of ours is written as JSON. */
function shownCall(approval: PendingApproval): readonly string[] {
  const { name, input } = approval;
  const lines = callLines(approval);
  if (name !== "exec" || typeof input !== "object" || input === null || Array.isArray(input)) return lines;
  const { command, ...rest } = input as JsonObject; // no list: just looked at
  if (typeof command !== "string" || command === "" || /[\r\n]/.test(command)) return lines;
  return [command, ...Object.entries(rest).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)];
}

/** Name, then every argument as JSON: what the tool will get, byte for byte. */
export function callLines(approval: Pick<PendingApproval, "name" | "input">): readonly string[] {
  const { input } = approval;
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return [`${approval.name} ${JSON.stringify(input)}`];
  return [approval.name, ...Object.entries(input).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)];
}

type Fact = readonly [label: string, text: string];

/** Why, touches, where; what a yes would cover that is kept. */
export function factsOf(approval: PendingApproval, { texts }: Pick<Kit, "texts">): readonly Fact[] {
  const { rule: because, why, prompt, risk, cwd, grant } = approval;
  const known = wordOf(`why.${because}`);
  const said = known === undefined ? visibleText(why) : texts(known);
  const says = said === because || repeats(said, callLines(approval)) ? "" : said;
  const risks = risk.map((code) => {
    const word = wordOf(`risk.${code}`);
    return word === undefined ? visibleText(code) : texts(word);
  });
  const facts: readonly Fact[] = [
    [texts("ask.why"), says],
    ["", repeats(prompt, callLines(approval)) || prompt === why ? "" : visibleText(prompt)],
    [texts("ask.touches"), risks.join(" ").replaceAll("。 ", "。")],
    [texts("ask.where"), cwd === undefined ? "" : visibleText(cwd)],
    [texts("ask.covers"), grant === undefined ? "" : visibleText(grant.shown)],
  ];
  return facts.filter(([, text]) => text !== "");
}

function wordOf(name: string): keyof typeof ASKED_WORDS | undefined {
  return Object.hasOwn(ASKED_WORDS, name) ? (name as keyof typeof ASKED_WORDS) : undefined; // just looked at
}

function fact(label: string, text: string, { room, kit }: { readonly room: number; readonly kit: Kit }): string[] {
  const { pi, style, texts } = kit;
  const widths = (["ask.why", "ask.touches", "ask.where", "ask.covers"] as const).map((key) =>
    pi.visibleWidth(texts(key)),
  );
  const wide = Math.max(...widths) + 2;
  const pad = " ".repeat(Math.max(0, wide - pi.visibleWidth(label)));
  return wrap(text, room - wide, kit).map((line, index) =>
    indented(index === 0 ? style.dim(label) + pad + line : " ".repeat(wide) + line),
  );
}

/** A prompt that only names the call again says nothing new. */
function repeats(prompt: string, call: readonly string[]): boolean {
  const said = prompt.replace(/^[\w-]+: /, "").trim();
  return call.some((line) => line.includes(said) || line.includes(JSON.stringify(said).slice(1, -1))) || said === "";
}

/** What a single key answers, as a typed answer. */
export const ANSWER_KEYS: Readonly<Record<string, string>> = { y: "y", c: "s", a: "always", n: "n" };

export interface Answer {
  readonly type: "allow" | "deny";
  readonly remember?: "session" | "always";
}

/** A typed answer to this question. Everything else is an ordinary message. */
export function readAnswer(text: string, { grant }: Pick<PendingApproval, "grant">): Answer | undefined {
  const word = text.trim().toLowerCase();
  if (["y", "yes", "allow", ...ALLOW].includes(word)) return { type: "allow" };
  if (["n", "no", "deny", ...DENY].includes(word)) return { type: "deny" };
  if (grant === undefined) return undefined;
  if (["s", "session", ...IN_THIS_CHAT].includes(word)) return { type: "allow", remember: "session" };
  return ["always", ...ALWAYS].includes(word) && grant.always === true
    ? { type: "allow", remember: "always" }
    : undefined;
}
