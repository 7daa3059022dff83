/** Intent and what the tools said → the paragraph a person reads. */
import type { PracticeTexts } from "./texts.ts";
import type { Outcome } from "./conversation.ts";
import { excerpt } from "./excerpt.ts";
import type { Intent } from "./intent.ts";
import { PARTIAL } from "./steps.ts";

const MAX_ENTRIES = 40;
const MAX_LINES = 40;
const MAX_CHARS = 3000;

/** @param outcomes Of the intent's calls, in order; the last one tells how it ended. */
export function answer(
  intent: Intent,
  outcomes: readonly Outcome[],
  texts: PracticeTexts,
  clock: string | undefined,
): string {
  const said = answerWithoutTools(intent, texts, clock);
  if (said !== undefined) return said;
  const last = outcomes.at(-1);
  if (!last) return intent.kind === "schedule" ? texts.noTime : texts.notDone(doing(intent, texts));
  if (intent.kind === "append" && outcomes.length === 1 && last.status === "ok") return texts.tooLarge(intent.path);
  if (last.status === "ok") return succeeded(intent, last.text, texts);
  // A command that ended with another code than 0 has a result worth reading.
  if (intent.kind === "run" && exitCode(last.text) !== undefined) return ran(intent.command, last.text, texts);
  return failed(doing(intent, texts), last, texts);
}

/** What the intent does, as a verb phrase for "I could not …". */
export function doing(intent: Intent, texts: PracticeTexts): string {
  switch (intent.kind) {
    case "list":
    case "read":
    case "write":
    case "append":
    case "edit":
      return texts.doing[intent.kind](intent.path);
    case "search-files":
      return texts.doing.searchFiles(intent.text);
    case "run":
      return texts.doing.run(intent.command);
    case "search-web":
      return texts.doing.searchWeb(intent.query);
    case "fetch":
      return texts.doing.fetch(intent.url);
    case "remember":
    case "recall":
    case "schedule":
    case "spawn":
      return texts.doing[intent.kind];
    case "list-jobs":
    case "remove-job":
      return texts.doing.jobs;
    case "use-skill":
      return texts.doing.skill(intent.name);
    case "say":
    case "help":
    case "hello":
    case "thanks":
    case "identity":
    case "time":
      return intent.kind;
  }
}

function answerWithoutTools(intent: Intent, texts: PracticeTexts, clock: string | undefined): string | undefined {
  if (intent.kind === "say") return intent.text;
  if (intent.kind === "help")
    return `${texts.help}\n\n${texts.examples.map((example) => `- ${example}`).join("\n")}\n\n${texts.footer}`;
  if (intent.kind === "hello" || intent.kind === "thanks" || intent.kind === "identity") return texts[intent.kind];
  if (intent.kind === "time") return clock === undefined ? texts.noTime : texts.time(clock.replace("T", " "));
  return undefined;
}

function succeeded(intent: Intent, text: string, texts: PracticeTexts): string {
  switch (intent.kind) {
    case "list":
      return listing(intent.path, text, texts);
    case "read":
      return intent.about ? about(intent.path, text, texts) : contents(intent.path, text, texts);
    case "write":
      return texts.wrote(intent.path);
    case "append":
      return texts.appended(intent.path);
    case "edit":
      return `${texts.edited(intent.path)}\n\n${fence(text.split("\n").slice(1).join("\n").trim() || text, "diff")}`;
    case "search-files":
      return text.startsWith("No match for ") ? text : `${texts.found(intent.text)}\n\n${fence(cut(text).text)}`;
    case "run":
      return ran(intent.command, text, texts);
    case "search-web":
      return `${texts.web(intent.query)}\n\n${text.trim()}`;
    case "fetch":
      return page(intent.url, text, intent.about, texts);
    case "remember":
      return /already known/i.test(text) ? texts.knownAlready : texts.remembered(intent.text);
    case "recall":
      return text.startsWith("Nothing found")
        ? texts.recalledNothing(intent.query)
        : `${texts.recalled(intent.query)}\n\n${bullets(text)}`;
    case "schedule":
      return texts.scheduled(text);
    case "list-jobs":
      return text.startsWith("No jobs") ? texts.noJobs : `${texts.jobs}\n\n${bullets(text)}`;
    case "remove-job":
      return texts.removed(intent.id);
    case "spawn":
      return texts.spawned(text);
    case "use-skill":
      return `${texts.skill(intent.name)}\n\n${fence(cut(text).text)}`;
    case "say":
    case "help":
    case "hello":
    case "thanks":
    case "identity":
    case "time":
      return text;
  }
}

function listing(path: string, text: string, texts: PracticeTexts): string {
  const entries = text.split("\n").filter((line) => line.trim() !== "");
  if (entries.length === 0 || entries[0] === "(empty directory)") return texts.emptyFolder(path);
  const note = /^\[\d+ of \d+ entries\b/.test(entries.at(-1) ?? "") ? entries.pop() : undefined;
  const total = Number(/of (\d+) entries/.exec(note ?? "")?.[1] ?? entries.length);
  const shown = entries.slice(0, MAX_ENTRIES).map((entry) => `- ${code(entry)}`);
  if (total > shown.length) shown.push(`- ${texts.more(total - shown.length)}`);
  return `${texts.listed(path, total)}\n\n${shown.join("\n")}`;
}

function contents(path: string, text: string, texts: PracticeTexts): string {
  if (text.trim() === "") return texts.emptyFile(path);
  const shown = cut(text.replace(PARTIAL, ""));
  const note =
    shown.lines === undefined ? (PARTIAL.test(text) ? texts.partial(path) : undefined) : texts.cut(path, shown.lines);
  return `${texts.contents(path)}\n\n${fence(shown.text)}${note === undefined ? "" : `\n\n${note}`}`;
}

function about(path: string, text: string, texts: PracticeTexts): string {
  if (text.trim() === "") return texts.emptyFile(path);
  const found = excerpt(text.replace(PARTIAL, ""));
  // Chinese sentences stand together, others need a space.
  const sentences = found.sentences.join(" ").replaceAll(/([。！？]) /g, "$1");
  const parts = [
    texts.about(path, found.lines, found.words) +
      (found.title === undefined ? "" : texts.titled(found.title)) +
      (found.sentences.length > 0 ? texts.begins(sentences) : texts.noText),
    ...(found.headings.length > 0 ? [texts.sections(found.headings.join(" · "))] : []),
    ...(PARTIAL.test(text) ? [texts.partial(path)] : []),
    texts.extract,
  ];
  return parts.join("\n\n");
}

function page(url: string, text: string, brief: boolean, texts: PracticeTexts): string {
  const gap = text.indexOf("\n\n");
  const inner = gap < 0 ? text : text.slice(gap + 2);
  return brief ? about(url, inner, texts) : `${texts.page(url)}\n\n${fence(cut(inner.trim()).text)}`;
}

function ran(command: string, text: string, texts: PracticeTexts): string {
  const output = text.replace(/\n?Exit code: \d+\s*$/, "").trim();
  const head = texts.ran(command.replaceAll("`", "'"), exitCode(text) ?? "?");
  return `${head}\n\n${output === "" ? texts.noOutput : fence(cut(output).text)}`;
}

function failed(what: string, outcome: Outcome, texts: PracticeTexts): string {
  // "Next: …" is advice for a model, unless a person is to do it.
  const reason = outcome.text
    .replace(/^(?:Error|Denied): /, "")
    .replace(/\s*Next: (?!ask the operator|tell the user)[^\n]*/, "")
    .trim();
  if (outcome.status === "interrupted") return texts.interrupted(what, cut(reason).text);
  return outcome.status === "denied" ? texts.denied(what, reason) : texts.failed(what, cut(reason).text);
}

function exitCode(text: string): string | undefined {
  return /Exit code: (\d+)\s*$/.exec(text)?.[1];
}

function cut(text: string): { readonly text: string; readonly lines?: number } {
  const lines = text.split("\n");
  const bounded = lines.slice(0, MAX_LINES).join("\n");
  if (lines.length <= MAX_LINES && bounded.length <= MAX_CHARS) return { text };
  const kept = bounded.length <= MAX_CHARS ? bounded : bounded.slice(0, MAX_CHARS).replace(/[\uD800-\uDBFF]$/, "");
  return { text: `${kept}\n…`, lines: kept.split("\n").length };
}

function bullets(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return [
    ...lines.slice(0, MAX_ENTRIES).map((line) => `- ${line}`),
    ...(lines.length > MAX_ENTRIES ? ["- …"] : []),
  ].join("\n");
}

/** A code block whose fence is longer than any in the text: the text cannot close it. */
function fence(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const mark = "`".repeat(longest + 1);
  return `${mark}${language}\n${text.replace(/\n$/, "")}\n${mark}`;
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
