// search_files: lines that match a regular expression, found in a worker thread that can be ended.
import type { Worker } from "node:worker_threads";
import type { Clock } from "../../contract/base.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { isSensitivePath } from "../../lib/paths/sensitive-path.ts";
import { show } from "../../machine/files/refusal.ts";
import type { MountedFiles } from "../../machine/files/mounted-folder.ts";
import type { SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool, parameterError, toolError } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { orRefused } from "./refused.ts";
import type { SearchAnswer, SearchRequest } from "./search-protocol.ts";
import type { Marks } from "./marks.ts";
import { withConfidentiality } from "../../tools/untrusted.ts";

export interface SearchFilesOptions {
  readonly files: SafeFiles & Partial<Pick<MountedFiles, "beside" | "unsearched">>;
  readonly restrict: boolean;
  readonly maxResultChars: number;
  /** Below it the lines of a file are marked by what was read, not by where it stands. */
  readonly hashedBelow?: string;
  readonly ofLines: Marks["ofLines"];
}
interface Input {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly limit?: number;
}

const TIMEOUT_SECONDS = 10;
/** Then the worker is asked for what it has; a pattern that hangs cannot answer and is ended at the limit. */
const SOFT_SECONDS = 8;
const NOTE_CHARS = 400;

export function searchFilesTool(options: SearchFilesOptions): Tool {
  return defineTool<Input>({
    name: "search_files",
    description: "Find lines by regular expression (JavaScript). Skips ignored files.",
    input: objectSchema<Input>({
      properties: {
        pattern: { type: "string", minLength: 1 },
        path: { type: "string" },
        glob: { type: "string", description: "Such as *.ts" },
        limit: { type: "integer", minimum: 1, maximum: 200 },
      },
      required: ["pattern"],
    }),
    effect: "read",
    bounded: true,
    timeoutMs: 0, // its own, below: a second attempt with the same pattern would not end either
    execute: async (input, context) => {
      const expression = compile(input.pattern);
      if (typeof expression === "string") return parameterError(`pattern must be a regular expression (${expression})`);
      return orRefused(() => search(input, expression, options, context));
    },
  });
}

async function search(
  input: Input,
  expression: RegExp,
  options: SearchFilesOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const path = input.path ?? ".";
  const { files } = options;
  const place = await open(files, path);
  const also = place.only === undefined ? await files.beside?.(place.prefix) : undefined;
  try {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const answer = await ask(
      {
        pattern: expression.source,
        flags: expression.flags,
        glob: input.glob,
        limit: input.limit ?? 50,
        maxChars: options.maxResultChars - NOTE_CHARS,
        directory: place.directory,
        prefix: place.prefix,
        only: place.only,
        also: also && { directory: also.at("."), prefix: asPrefix(also.shown) },
        unsearched: files.unsearched?.() ?? [".margay"],
        hashedBelow: options.hashedBelow,
        ignoreFiles: await ignoreFilesAbove(files, place.prefix),
        forbidden: [...files.forbidden()],
        skipLinked: options.restrict,
        stop,
      },
      context,
    );
    if (answer === "timeout")
      return toolError(
        `search_files timed out after ${TIMEOUT_SECONDS} seconds`,
        "use a simpler pattern, or narrow path or glob",
      );
    const result = describe(input.pattern, answer);
    const found = withConfidentiality(result, answer.files.some(isSensitivePath) ? "sensitive" : "personal");
    const mark = await options.ofLines(answer.files, answer.hashes, context.signal);
    return mark(found);
  } finally {
    also?.close();
    place.close();
  }
}

interface Place {
  readonly directory: string;
  readonly prefix: string;
  readonly only: string | undefined;
  close(): void;
}

/** A directory, or a file as the one entry of its directory. */
async function open(files: SafeFiles, path: string): Promise<Place> {
  try {
    const directory = await files.directory(path);
    return {
      directory: directory.at("."),
      prefix: asPrefix(directory.shown),
      only: undefined,
      close: () => directory.close(),
    };
  } catch (error) {
    if (!hasCode(error, "tool.refused") || !isFileRefusal(error.details)) throw error;
  }
  const file = await files.read(path); // refuses what is no regular file
  file[Symbol.dispose]();
  const slash = file.real.lastIndexOf("/");
  const directory = await files.directory(slash === -1 ? "." : file.real.slice(0, slash) || "/");
  return {
    directory: directory.at("."),
    prefix: asPrefix(directory.shown),
    only: file.real.slice(slash + 1),
    close: () => directory.close(),
  };
}

function isFileRefusal(details: unknown): boolean {
  return typeof details === "object" && details !== null && "why" in details && details.why === "not-directory";
}

function asPrefix(shown: string): string {
  return shown === "" || shown.endsWith("/") ? shown : `${shown}/`;
}

/** A search that starts below still obeys the .gitignore of the directories above it. */
async function ignoreFilesAbove(files: SafeFiles, prefix: string): Promise<SearchRequest["ignoreFiles"]> {
  if (prefix === "" || prefix.startsWith("/") || prefix.startsWith(".margay/")) return [];
  const names = prefix.split("/").slice(0, -1);
  const bases = names.map((_, index) =>
    names
      .slice(0, index)
      .map((name) => `${name}/`)
      .join(""),
  );
  const found: { readonly base: string; readonly text: string }[] = [];
  for (const base of bases)
    try {
      using file = await files.read(`${base}.gitignore`);
      found.push({ base, text: (await file.bytes()).toString("utf8") });
    } catch (error) {
      if (!hasCode(error, "tool.refused")) throw error; // refused: there is none that may be read
    }
  return found;
}

/** @throws `context.signal.reason`. */
async function ask(request: SearchRequest, context: ToolContext): Promise<SearchAnswer | "timeout"> {
  const { Worker } = process.getBuiltinModule("node:worker_threads"); // at first use: most turns search nothing
  const name = import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js";
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const ended = new AbortController();
  const onAbort = (): void => ended.abort();
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answerOf(worker), deadline(request, context.clock, ended.signal)]);
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", onAbort);
    ended.abort();
    await worker.terminate(); // also ends a regular expression in the middle
  }
}

function answerOf(worker: Worker): Promise<SearchAnswer> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the search ended without an answer")));
  });
}

async function deadline(request: SearchRequest, clock: Clock, signal: AbortSignal): Promise<"timeout"> {
  await clock.sleep(SOFT_SECONDS * 1000, signal);
  Atomics.store(request.stop, 0, 1);
  await clock.sleep((TIMEOUT_SECONDS - SOFT_SECONDS) * 1000, signal);
  return "timeout";
}

function describe(pattern: string, answer: SearchAnswer): string {
  const notes = [
    ...(answer.more ? [`[first ${answer.lines.length} matches. Narrow pattern, path or glob for others.]`] : []),
    ...(answer.stopped === "time"
      ? [`[stopped after ${SOFT_SECONDS} seconds and ${answer.entries} entries. Narrow path or glob.]`]
      : []),
    ...(answer.stopped === "entries" ? [`[stopped after ${answer.entries} entries. Narrow path or glob.]`] : []),
    ...(answer.skipped > 0 ? [`[${answer.skipped} files left out: over 20 MB, linked, unreadable or too deep.]`] : []),
  ];
  const lines = answer.lines.length > 0 ? answer.lines : [`No match for ${show(pattern)}.`];
  return [...lines, ...notes].join("\n");
}

/** The expression, or why it is none. `(?i)` at the start is what other engines write for the flag. */
function compile(pattern: string): RegExp | string {
  const [, flag, body] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const flags = flag === undefined ? "" : "i";
  try {
    return new RegExp(body ?? pattern, `${flags}u`);
  } catch {
    // Without `u` more is allowed, such as needless backslashes.
  }
  try {
    return new RegExp(body ?? pattern, flags);
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "invalid";
  }
}
