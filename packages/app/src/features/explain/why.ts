/** A step of the loop in one sentence. */
import { bySomeKind, type SomeKinds } from "@margay/core/internal";
import type { AgentSettings, JournalRecord } from "@margay/core";
import type { Explained } from "@margay/core/internal";
import { fill, type Language, type Values } from "../../texts/text.ts";
import { TEXT } from "./api-texts.ts";

type Step = Explained["wanted"];

/** What a commit is that the step before led to: it has no reason of its own. */
export function outcomeOf(records: readonly JournalRecord[], language: Language): string {
  const say = (name: keyof typeof TEXT, values?: Values): string => fill(TEXT[name][language], values);
  // Beside an outcome stands what follows from it.
  return records
    .map((record) => bySomeKind(OUTCOMES, record, say, language))
    .filter((text) => text !== undefined)
    .join(" ");
}

const OUTCOMES: SomeKinds<JournalRecord, [say: Say, language: Language], string> = {
  "model.responded": responseText,
  "model.failed": ({ error: { code }, retryAt }, say) =>
    retryAt === undefined ? say("gaveUp", { code }) : say("retried", { code, time: new Date(retryAt).toISOString() }),
  "tool.finished": ({ message: { name, status } }, say) => say("finished", { calls: name, status }),
  "tool.failed": ({ attempt, error: { code } }, say) => say("toolRetried", { attempt, code }),
};

type Say = (name: keyof typeof TEXT, values?: Values) => string;

function responseText(
  { message: { parts, finish } }: Extract<JournalRecord, { readonly type: "model.responded" }>,
  say: Say,
  language: Language,
): string {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
  if (calls.length > 0) return say("asks", { calls: listOf(calls, language) });
  switch (finish) {
    case "length":
    case "refusal":
    case "cut":
      return say(finish);
    case "cancelled":
      return say("stopped");
    case "stop":
    case "tool-calls":
      return say("answered");
  }
}

function listOf(names: readonly string[], language: Language): string {
  return names.join(language === "en" ? ", " : "、");
}

export function whyOf(step: Step, settings: AgentSettings, language: Language): string {
  const say = (name: keyof typeof TEXT, values?: Values): string => fill(TEXT[name][language], values);
  const listed = (names: readonly string[]): string => listOf(names, language);
  switch (step.do) {
    case "start":
    case "rest":
      return say(step.do);
    case "deliver":
      return say("deliver", { count: step.results.length });
    case "compact":
      return say(step.because);
    case "judge":
      return say("judge", { calls: listed(step.calls.map(({ name }) => name)) });
    case "invoke":
      return say("invoke", { calls: listed(step.calls.map(({ call }) => call.name)) });
    case "recover":
      return say("recover", { calls: listed(step.calls.map(({ call }) => call.name)) });
    case "settle":
      return say("settle", { calls: listed(step.calls.map(({ call }) => call.name)) });
    case "request":
      if (step.closing) return say("closing");
      if (step.attempt > 1) return say("again", { attempt: step.attempt });
      return step.place.length > 0 ? say("place", { count: step.place.length }) : say("request");
    case "sleep":
    case "wait":
      return say(step.do, { time: new Date(step.until).toISOString() });
    case "end":
      return say(step.reason, { limit: step.limit ?? settings.maxIterations, code: step.error?.code ?? "?" });
  }
}
