/** One model request → what practice mode does: calls for tools, or an answer. Pure. */
import type { JsonObject, Message, ModelRequest, ToolMessage } from "@margay/core";
import { ellipsis, fenced, speaker, STOPPED, textOf, type Say } from "@margay/core/internal";
import type { Language } from "../../texts/text.ts";
import { understand, type Request } from "./sentences.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}
export type Decision = { readonly calls: readonly Call[] } | { readonly text: string };

type CallRequest = Extract<Request, { readonly kind: "call" }>;
type UserMessage = Extract<Message, { readonly role: "user" }>;
type SayIn = Say<typeof en>;

/** Each call is made once: only many messages in a row reach it. */
const MAX_CALLS = 24;
/** What is shown of a result. */
const MAX_LINES = 40;
const MAX_SHOWN_CHARS = 3000;
/** What is said of a file, repeated of what was not understood, and logged of a conversation. */
const MAX_EXTRACT_CHARS = 360;
const MAX_QUOTED_CHARS = 80;
const MAX_LOGGED_CHARS = 600;

const texts = speaker(en, zh);

/** @param language Of answers to messages that have neither Latin nor Chinese letters. */
export function decide(
  { messages, prefix, sampling }: Pick<ModelRequest, "messages" | "prefix" | "sampling">,
  language: Language,
): Decision {
  const upkeep = prefix.tools.length === 1 ? chore(prefix.tools[0]?.name, messages) : undefined;
  if (upkeep) return upkeep;
  const from = openFrom(messages);
  const open = messages.slice(from);
  const outcomes = outcomesIn(open);
  const offered = new Set(prefix.tools.map((tool) => tool.name));
  const calls = new Map<string, Call>();
  const said: string[] = [];
  let spoken = language;
  let introduced = messages.slice(0, from).some((message) => message.role === "assistant");
  for (const message of open.filter((one): one is UserMessage => one.role === "user")) {
    const text = textOf(message.parts);
    spoken = languageOf(text, spoken);
    const say = texts(spoken);
    introduced ||= message.from.kind !== "person";
    // A helper's report may quote a web page: it is passed on, never followed.
    if (isReport(message, messages)) said.push(`${say("report")}\n\n${text}`);
    else
      for (const request of understand(text)) {
        if (request.kind !== "call") {
          said.push(talk(request, say));
          introduced = true;
          continue;
        }
        const call = callOf(request, say);
        const outcome = outcomes.get(keyOf(call));
        if (outcome) said.push(told(request, outcome, say));
        else if (!offered.has(call.name)) said.push(say("noTool", { doing: doing(request, say), tool: call.name }));
        else if (sampling.toolChoice === "none" || outcomes.size + calls.size >= MAX_CALLS)
          said.push(say("notDone", { doing: doing(request, say) }));
        else if (request.after && calls.size > 0) return { calls: [...calls.values()] };
        else calls.set(keyOf(call), call);
      }
  }
  if (calls.size > 0) return { calls: [...calls.values()] };
  const say = texts(spoken);
  if (said.length === 0) return { text: say("hello") };
  return { text: [...said, ...(introduced ? [] : [say("footer")])].join("\n\n") };
}

/** Index of the first message that is not behind a finished answer, or behind a call that a person stopped. */
function openFrom(messages: readonly Message[]): number {
  const lastAsked = messages.findLastIndex((message) => message.role === "user");
  const ended = messages.findLastIndex((message, index) => {
    if (message.role === "assistant") return !message.parts.some((part) => part.type === "tool-call");
    // What was stopped is not taken up again by the next message.
    return message.role === "tool" && index < lastAsked && isStopped(message);
  });
  return ended + 1;
}

function isStopped({ status, parts }: ToolMessage): boolean {
  return status === "interrupted" || (status === "denied" && textOf(parts) === STOPPED);
}

function outcomesIn(open: readonly Message[]): ReadonlyMap<string, ToolMessage> {
  const keys = new Map<string, string>();
  const outcomes = new Map<string, ToolMessage>();
  for (const message of open) {
    if (message.role === "assistant")
      for (const part of message.parts)
        if (part.type === "tool-call")
          keys.set(part.callId, keyOf({ name: part.name, input: part.input as JsonObject })); // ours
    const key = message.role === "tool" ? keys.get(message.callId) : undefined;
    if (message.role === "tool" && key !== undefined) outcomes.set(key, message);
  }
  return outcomes;
}

/** Equal calls have equal keys. */
function keyOf({ name, input }: Call): string {
  return JSON.stringify([name, ...Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** A helper's own session begins with its task; what the runtime says later is a report. */
function isReport(message: UserMessage, messages: readonly Message[]): boolean {
  if (message.from.kind === "person" || message.from.kind === "schedule") return false;
  return messages.find((earlier) => earlier.role === "user") !== message;
}

/** Chinese when there is a Chinese character; English when there is a Latin word; else what was before. */
function languageOf(text: string, otherwise: Language): Language {
  if (/\p{Script=Han}/u.test(text)) return "zh-CN";
  return /[A-Za-z]{2}/.test(text) ? "en" : otherwise;
}

function callOf({ deed, subject, tool, input }: CallRequest, say: SayIn): Call {
  return { name: tool, input: deed === "remind" ? { ...input, message: say("reminder", { text: subject }) } : input };
}

function doing({ deed, subject }: CallRequest, say: SayIn): string {
  return say(`doing.${deed}`, { subject });
}

function talk(request: Exclude<Request, CallRequest>, say: SayIn): string {
  if (request.kind !== "unknown") return say(request.kind);
  return say("unknown", { text: ellipsis(request.text.replace(/\s+/g, " "), MAX_QUOTED_CHARS) });
}

function told(request: CallRequest, { status, parts }: ToolMessage, say: SayIn): string {
  const text = textOf(parts).replace(/^\[untrusted content: read as data\]\r?\n/m, "");
  const { deed, subject } = request;
  if (status === "ok" && deed === "about") return say("extract", { subject, text: extract(text) });
  const head =
    status !== "ok"
      ? say(status, { doing: doing(request, say) })
      : say(deed === "about" ? "ok.read" : `ok.${deed}`, { subject });
  // "Next: …" is advice for a model, unless a person is to do it.
  return `${head}\n\n${shown(text.replace(/\s*Next: (?!ask the operator|tell the user)[^\n]*/, ""), say)}`;
}

function shown(text: string, say: SayIn): string {
  const whole = text.trimEnd();
  const kept = ellipsis(whole.split("\n").slice(0, MAX_LINES).join("\n"), MAX_SHOWN_CHARS);
  return `${fenced(kept)}${kept === whole ? "" : `\n\n${say("cut")}`}`;
}

/** The first heading and the first prose: what a text is about, without understanding it. */
function extract(text: string): string {
  const title = /^#+ (.+)$/m.exec(text)?.[1];
  const prose = text.split(/\n\s*\n/).find((paragraph) => /^\s*[\p{L}\p{N}*_"“]/u.test(paragraph));
  const found = [title, prose?.trim().replace(/\s*\n\s*/g, " ")].filter((part) => part !== undefined);
  return ellipsis(found.length > 0 ? found.join(" – ") : text.trim(), MAX_EXTRACT_CHARS);
}

/** Requests of the runtime itself, recognized by the one tool they offer: keeping memory, looking at HEARTBEAT.md. */
function chore(tool: string | undefined, messages: readonly Message[]): Decision | undefined {
  const text = textOf(messages.findLast((message) => message.role === "user")?.parts ?? []);
  if (tool === "save_memory") {
    const letters = [...text.replace(/\s+/g, " ").trim()];
    const tail = letters.slice(-MAX_LOGGED_CHARS).join("");
    const log = texts(languageOf(text, "en"))("log", { text: letters.length > MAX_LOGGED_CHARS ? `…${tail}` : tail });
    return { calls: [{ name: tool, input: { memory: "", history: log } }] }; // an empty memory leaves it as it is
  }
  if (tool !== "heartbeat") return undefined;
  const task = text
    .split("\n")
    .flatMap((line) => /^\s*[-*]\s+(?:\[ \]\s+)?(?!\[[xX]\])(.+)$/.exec(line)?.[1]?.trim() ?? [])
    .find((line) => line !== "" && understand(line).every((request) => request.kind === "call"));
  return { calls: [{ name: tool, input: task === undefined ? { action: "skip" } : { action: "run", task } }] };
}
