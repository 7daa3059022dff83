/** Intent → the next tool call it needs. */
import type { JsonObject } from "@margay/core";
import type { Outcome } from "./conversation.ts";
import type { Intent, When } from "./intent.ts";

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

/** What one request leads to. */
export type Decision =
  | { readonly type: "calls"; readonly calls: readonly Call[] }
  | { readonly type: "answer"; readonly text: string };

/** Calls that change something run alone, so that what follows sees their effect. */
export function changes(intent: Intent): boolean {
  return !["list", "read", "search-files", "search-web", "fetch", "recall", "list-jobs", "use-skill"].includes(
    intent.kind,
  );
}

/** @param done Outcomes of the intent's calls so far, in order. @param clock The turn's clock notice. */
export function nextCall(
  intent: Intent,
  done: readonly Outcome[],
  clock: string | undefined,
  language: "en" | "zh-CN",
): Call | undefined {
  if (intent.kind === "append") return append(intent.path, intent.content, done);
  return done.length > 0 ? undefined : onlyCall(intent, clock, language);
}

/** `read_file` said that the text is only a part of the file. */
export const PARTIAL: RegExp = /\[lines \d+–\d+ of \d+\. Continue with offset=\d+\.\]\s*$/;

function append(path: string, content: string, done: readonly Outcome[]): Call | undefined {
  const [before, written] = done;
  if (!before) return { name: "read_file", input: { path } };
  if (written) return undefined;
  if (before.status === "ok") {
    // Writing back what was only partly read would lose the rest.
    if (PARTIAL.test(before.text)) return undefined;
    const joint = before.text === "" || before.text.endsWith("\n") ? "" : "\n";
    return { name: "write_file", input: { path, content: `${before.text}${joint}${content}\n` } };
  }
  return /does not exist/.test(before.text)
    ? { name: "write_file", input: { path, content: `${content}\n` } }
    : undefined;
}

function onlyCall(
  intent: Exclude<Intent, { kind: "append" }>,
  clock: string | undefined,
  language: "en" | "zh-CN",
): Call | undefined {
  switch (intent.kind) {
    case "list":
      return { name: "list_dir", input: { path: intent.path } };
    case "read":
      return { name: "read_file", input: { path: intent.path } };
    case "write":
      return { name: "write_file", input: { path: intent.path, content: intent.content } };
    case "edit":
      return { name: "edit_file", input: { path: intent.path, old_text: intent.oldText, new_text: intent.newText } };
    case "search-files": {
      // The person gave words, the tool wants a pattern.
      const pattern = intent.text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return { name: "search_files", input: { pattern, ...(intent.path !== undefined && { path: intent.path }) } };
    }
    case "run":
      return { name: "exec", input: { command: intent.command } };
    case "search-web":
      return { name: "web_search", input: { query: intent.query } };
    case "fetch":
      return { name: "web_fetch", input: { url: intent.url } };
    case "remember":
      return { name: "remember", input: { text: intent.text } };
    case "recall":
      return { name: "recall", input: { query: intent.query } };
    case "list-jobs":
      return { name: "cron", input: { action: "list" } };
    case "remove-job":
      return { name: "cron", input: { action: "remove", job_id: intent.id } };
    case "schedule": {
      const when = schedule(intent.when, clock);
      if (!when) return undefined;
      const reminder = language === "en" ? `Reminder: ${intent.message}` : `提醒：${intent.message}`;
      // A reminder is sent word for word; anything else is a task for the loop.
      const what: JsonObject = intent.reminder ? { message: reminder, mode: "deliver" } : { message: intent.message };
      return { name: "cron", input: { action: "add", ...what, ...when } };
    }
    case "spawn":
      return { name: "spawn", input: { task: intent.task } };
    case "use-skill":
      return { name: "use_skill", input: { name: intent.name } };
    case "say":
    case "help":
    case "hello":
    case "thanks":
    case "identity":
    case "time":
      return undefined;
  }
}

function schedule(when: When, clock: string | undefined): JsonObject | undefined {
  if (when.type === "cron") return { cron_expr: when.expression };
  if (when.type === "every") return { every_seconds: when.seconds };
  const now = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/
    .exec(clock ?? "")
    ?.slice(1)
    .map(Number);
  if (!now) return undefined;
  const [year = 0, month = 1, date = 1, hour = 0, minute = 0] = now;
  // Local time as people write it: the tool reads a time without a zone in the configured one.
  if (when.type === "in")
    return { at: local(Date.UTC(year, month - 1, date, hour, minute) + Math.max(60, when.seconds) * 1000) };
  const passed = when.hour * 60 + when.minute <= hour * 60 + minute;
  const day = when.day ?? (passed ? 1 : 0);
  return { at: local(Date.UTC(year, month - 1, date + day, when.hour, when.minute)) };
}

function local(time: number): string {
  return new Date(time).toISOString().slice(0, 16);
}
