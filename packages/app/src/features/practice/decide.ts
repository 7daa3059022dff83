/** One request → what practice mode does: calls for tools, or an answer. Pure. */
import type { ModelRequest } from "@margay/core";
import { PRACTICE_TEXTS, type PracticeTexts } from "./texts.ts";
import type { Language } from "../../texts/text.ts";
import { answer, doing } from "./answer.ts";
import { chore } from "./chores.ts";
import { callKey, readConversation, type Asked, type Conversation, type Outcome } from "./conversation.ts";
import type { Intent } from "./intent.ts";
import { changes, nextCall, type Call, type Decision } from "./steps.ts";
import { MAX_INTENTS, understand, type Understood } from "./understand.ts";

/** Each call is made once, so this is only reached by very long messages. */
const MAX_CALLS = 24;

/** @param language Of answers to messages that have neither Latin nor Chinese letters. */
export function decide(request: Pick<ModelRequest, "messages" | "prefix" | "sampling">, language: Language): Decision {
  const done = chore(request);
  if (done) return done;
  const conversation = readConversation(request.messages);
  const offered = new Set(request.prefix.tools.map((tool) => tool.name));
  const mayCall = request.sampling.toolChoice !== "none" && conversation.callsMade < MAX_CALLS;
  const calls: Call[] = [];
  const paragraphs: string[] = [];
  let lastLanguage = language;
  for (const asked of conversation.asked) {
    lastLanguage = languageOf(asked.text, lastLanguage);
    const worked = work(asked, { conversation, offered, mayCall, language: lastLanguage, waiting: calls.length > 0 });
    calls.push(...worked.calls);
    paragraphs.push(...worked.paragraphs);
  }
  if (calls.length > 0) return { type: "calls", calls };
  const texts = PRACTICE_TEXTS[lastLanguage];
  const text = paragraphs.length > 0 ? paragraphs.join("\n\n") : texts.hello;
  const introduced = /practice mode|练习模式/i.test(text);
  const byPerson = conversation.asked.every((asked) => asked.by === "person");
  return { type: "answer", text: conversation.first && byPerson && !introduced ? `${text}\n\n${texts.footer}` : text };
}

/** Chinese when there is a Chinese character; English when there is a Latin word; else what was before. */
export function languageOf(text: string, otherwise: Language): Language {
  if (/\p{Script=Han}/u.test(text)) return "zh-CN";
  return /[A-Za-z]{2}/.test(text) ? "en" : otherwise;
}

interface Scene {
  readonly conversation: Conversation;
  readonly offered: ReadonlySet<string>;
  readonly mayCall: boolean;
  readonly language: Language;
  /** Something before this message is still being done. */
  readonly waiting: boolean;
}

function work(asked: Asked, scene: Scene): { readonly calls: readonly Call[]; readonly paragraphs: readonly string[] } {
  const texts = PRACTICE_TEXTS[scene.language];
  // Text of a helper may quote a web page: it is passed on, never followed.
  if (asked.by === "report") return { calls: [], paragraphs: [`${texts.report}\n\n${asked.text}`] };
  const understood = understand(asked.text, scene.conversation.lastPath);
  const calls: Call[] = [];
  const paragraphs: string[] = [];
  for (const part of understood.slice(0, MAX_INTENTS)) {
    if (part.status === "unknown") {
      paragraphs.push(texts.unknown(shorten(part.text)));
      continue;
    }
    const step = pursue(part.intent, scene);
    if (step.call === undefined) {
      paragraphs.push(step.said);
      continue;
    }
    const { call } = step;
    const started = calls.length > 0 || scene.waiting;
    // A change, and what follows a "then", waits for what is still running; and everything waits for a change.
    if (started && (part.after || changes(part.intent))) break;
    if (!calls.some((other) => callKey(other.name, other.input) === callKey(call.name, call.input))) calls.push(call);
    if (changes(part.intent)) break;
  }
  if (understood.length > MAX_INTENTS) paragraphs.push(texts.tooMany(MAX_INTENTS));
  return { calls, paragraphs: onlyOnce(paragraphs, understood, texts) };
}

/** The next call an intent still needs, or what to say about it. */
function pursue(
  intent: Intent,
  scene: Scene,
): { readonly call: Call } | { readonly call?: undefined; readonly said: string } {
  const { conversation, language } = scene;
  const texts = PRACTICE_TEXTS[language];
  const outcomes: Outcome[] = [];
  for (;;) {
    const call = nextCall(intent, outcomes, conversation.clock, language);
    if (!call) break;
    const outcome = conversation.outcomes.get(callKey(call.name, call.input));
    if (outcome) {
      outcomes.push(outcome);
      continue;
    }
    if (!scene.offered.has(call.name)) return { said: texts.noTool(call.name, doing(intent, texts)) };
    if (scene.mayCall) return { call };
    break;
  }
  return { said: answer(intent, outcomes, texts, conversation.clock) };
}

/** Several clauses nobody understood are one answer, not five. */
function onlyOnce(
  paragraphs: readonly string[],
  understood: readonly Understood[],
  texts: PracticeTexts,
): readonly string[] {
  const unknown = understood.flatMap((part) => (part.status === "unknown" ? [part.text] : []));
  if (unknown.length < 2) return paragraphs;
  const known = paragraphs.filter((paragraph) => !unknown.some((text) => paragraph === texts.unknown(shorten(text))));
  return [...known, texts.unknown(shorten(unknown.join(" · ")))];
}

function shorten(text: string): string {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length > 80 ? `${letters.slice(0, 80).join("")}…` : letters.join("");
}
