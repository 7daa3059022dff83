/** The question before a call: exactly what would run, with nothing invisible in it. */
import { fit, wrap, type Kit } from "./render-row.ts";
import { visibleText } from "./safe.ts";
import type { PendingApproval } from "./conversation.ts";
import { ALLOW, ALWAYS, DENY, IN_THIS_CHAT } from "../cli/answers.zh.ts";

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
  const title = `${texts("ask.title")}${pending.length > 1 ? ` (${texts("ask.of", { index: 1, count: pending.length })})` : ""}`;
  const head = fit(`── ${title} `, width, kit);
  const raw = callLines(first);
  const shown = raw.map(visibleText);
  const body = shown.flatMap((line) => wrap(line, width - 2, kit));
  const kept = unfolded ? body : body.slice(0, FOLDED_LINES);
  const more = body.length - kept.length;
  return [
    style.warn(head + "─".repeat(Math.max(0, width - kit.pi.visibleWidth(head)))),
    ...kept.map((line) => `  ${line}`),
    ...(more > 0 ? [fit(style.warn(`  ${texts("lines", { count: more })}`), width, kit)] : []),
    ...(shown.some((line, index) => line !== raw[index]) ? wrap(style.bad(texts("ask.hidden")), width, kit) : []),
    ...(repeats(first.prompt, raw) ? [] : wrap(style.dim(visibleText(first.prompt)), width, kit)),
    ...(first.grant === undefined
      ? wrap(style.bold(texts("ask.keys")), width, kit)
      : [
          ...wrap(style.bold(texts("ask.keysRemember")), width, kit),
          ...wrap(style.dim(`${texts("ask.covers")} ${visibleText(first.grant.shown)}`), width, kit),
        ]),
  ];
}

/** Name, then every argument as JSON: what the tool will get, byte for byte. */
export function callLines(approval: PendingApproval): readonly string[] {
  const { input } = approval;
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return [`${approval.name} ${JSON.stringify(input)}`];
  return [approval.name, ...Object.entries(input).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)];
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
