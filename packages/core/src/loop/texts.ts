/** What the runtime itself says to people, in their language. Texts for the model are elsewhere, in English. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ErrorInfo } from "../contract/record.ts";
import type { Job } from "../contract/schedule.ts";
import { fill, speaker } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

type Language = AgentSettings["language"];

const say = speaker(en, zh);

export function limitNotice(language: Language, limit: number): string {
  return say(language)("limit", { limit });
}

/** One sentence what failed, one what to do, the code in brackets; no stack, no key, no raw body. */
export function errorText(language: Language, error: ErrorInfo): string {
  const values = {
    name: detail(error, "name"),
    model: detail(error, "model"),
    seconds: Math.round(Number(detail(error, "afterMs")) / 1000),
    fault: faultIn(language, detail(error, "fault")),
  };
  return `${fill(failure(language, error.code) ?? say(language)("internal.bug"), values)} [${error.code}]`;
}

/** Undefined for a code that a person is told as a fault inside. */
function failure(language: Language, code: string): string | undefined {
  const catalog: Readonly<Record<string, string>> = language === "zh-CN" ? zh : en;
  return code.includes(".") && Object.hasOwn(catalog, code) ? catalog[code] : undefined;
}

/** What the person has to set, what was asked: as far as the error says so. */
function detail({ details }: ErrorInfo, name: string): string {
  const value = typeof details === "object" && details !== null && name in details ? Reflect.get(details, name) : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The first half of the sentence for another failure: what happened, in brackets. */
function faultIn(language: Language, code: string): string {
  const [what] = (failure(language, code) ?? "").split(say(language)("fault.end"));
  return what === undefined || what === "" ? "" : say(language)("fault.last", { what });
}

/** For somebody beside the owner, who can set nothing. */
export function shareUsedUp(language: Language): string {
  return say(language)("share");
}

/** While a person waits for the first words. */
export function stillWaiting(language: Language): string {
  return say(language)("waiting");
}

export function approvalPrompt(language: Language, tool: string, prompt: string, code: string): string {
  return say(language)("approval", { tool, prompt, code });
}

/** When a guest writes for the first time in a chat of the operator, or an operator where a guest was. */
export function otherReaders(language: Language): string {
  return say(language)("readers");
}

/** To who writes from elsewhere into what one person reads. */
export function foreignAnswer(language: Language): string {
  return say(language)("foreign");
}

/** Before the first answer to somebody whom the owner let in. */
export function guestWelcome(language: Language): string {
  return say(language)("guest.welcome");
}

/** In a group, for whatever is wrong. */
export function groupError(language: Language): string {
  return say(language)("group.error");
}

/** In place of a further turn that nobody asked for. */
export function resultsText(language: Language, results: readonly string[]): string {
  return [...results, say(language)("results", { n: results.length })].join("\n\n");
}

/** Appended to a text that broke off. */
export function cutMark(language: Language): string {
  return say(language)("cut");
}

export function lateMark(language: Language, at: string): string {
  return say(language)("late", { at });
}

/** For who writes while as many messages wait as may. */
export function fullAnswer(waiting: number, language: "en" | "zh-CN"): string {
  return say(language)("full", { n: waiting });
}

/** For who writes while the emergency stop is on. */
export function stoppedAnswer(language: "en" | "zh-CN"): string {
  return say(language)("stopped");
}

interface JobPaused {
  readonly job: Pick<Job, "id" | "name">;
  /** How often it failed in a row. */
  readonly times: number;
  readonly error: string;
  /** What this person types for `margay`. */
  readonly command: string;
}

/** For who is told that a job failed too often. */
export function jobPaused(language: "en" | "zh-CN", { job, times, error, command }: JobPaused): string {
  const { id, name = id } = job;
  return say(language)("job.paused", { name, times, error, command: `${command} cron enable ${id}` });
}
