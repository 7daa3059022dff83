// One attempt at a tool: its deadline, what it gave or threw as data, and the bound on its text.
import type { CallId, Json } from "../contract/base.ts";
import type { ContentPart, Marks, ToolStatus } from "../contract/message.ts";
import type { ErrorInfo } from "../contract/record.ts";
import type { NotStarted, Tool, ToolContext, ToolResult } from "../contract/tool.ts";
import { messageOf, RuntimeError, toErrorInfo } from "../lib/errors/errors.ts";
import { checkedReaders } from "../lib/audience.ts";
import { bound, NO_OUTPUT } from "./bound.ts";
import type { Prepared } from "./prepare.ts";

export interface Bounds {
  /** The deadline of tools that don't set their own. */
  readonly timeoutMs: number;
  readonly maxResultChars: number;
  /** Before anything is cut: half a secret is not recognized, and what is stored is read again. */
  readonly redact?: (text: string) => string;
  /** Stores an oversized text. @returns its path in the workspace; undefined when it could not be stored. */
  store(callId: CallId, text: string): Promise<string | undefined>;
}
export interface Result extends Marks {
  readonly status: ToolStatus;
  readonly parts: readonly ContentPart[];
  readonly details?: Json;
}
/** `threw`: the loop decides about another attempt. */
export type Outcome = (Result & { readonly kind: "result" }) | { readonly kind: "threw"; readonly error: ErrorInfo };

type Ready = Extract<Prepared, { readonly ok: true }>;

/**
 * Runs the tool once. A tool that outlives its deadline is abandoned: its late result and progress are dropped.
 * @throws `context.signal.reason` when that aborts, at once; nothing else.
 */
export async function invoke(prepared: Ready, context: ToolContext, bounds: Bounds): Promise<Outcome> {
  const { tool, input } = prepared;
  // The registry holds tools of many inputs; prepare() made this input with this tool's schema.
  return attempt(tool, context, bounds, (inner) => tool.execute(input as never, inner));
}

/** Asks a tool what became of a call that a crash interrupted. Undefined: nobody knows. */
export async function recover(
  prepared: Ready,
  context: ToolContext,
  bounds: Bounds,
): Promise<Outcome | NotStarted | undefined> {
  const { tool, input } = prepared;
  if (tool.recover === undefined) return undefined;
  let found: ToolResult | NotStarted | undefined;
  const outcome = await attempt(tool, context, bounds, async (inner) => {
    found = await tool.recover?.(input as never, inner); // as in invoke()
    return found === undefined || isNotStarted(found) ? "" : found;
  });
  if (found === undefined || isNotStarted(found)) return found;
  return outcome.kind === "result" ? outcome : undefined;
}

function isNotStarted(found: ToolResult | NotStarted): found is NotStarted {
  return typeof found === "object" && found !== null && "started" in found && found.started === false;
}

/** The result of a call after its last attempt. A timeout keeps its own sentence. */
export function failureText(tool: string, attempts: number, error: ErrorInfo): string {
  if (error.code === "tool.timeout") return `Error: ${error.message}`;
  return attempts === 1
    ? `Error: ${tool} failed: ${error.message}`
    : `Error: ${tool} failed after ${attempts} attempts: ${error.message}`;
}

async function attempt(
  tool: Tool,
  context: ToolContext,
  bounds: Bounds,
  run: (context: ToolContext) => Promise<ToolResult>,
): Promise<Outcome> {
  context.signal.throwIfAborted();
  const timeoutMs = tool.timeoutMs ?? bounds.timeoutMs;
  let ended = false;
  const stop = new AbortController(); // what the tool sees
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => {
    stop.abort(context.signal.reason);
    stopped.reject(context.signal.reason);
  };
  context.signal.addEventListener("abort", onAbort, { once: true });
  const inner: ToolContext = {
    ...context,
    signal: stop.signal,
    progress: (text) => {
      if (!ended) context.progress(text);
    },
  };
  const deadline =
    timeoutMs > 0 ? context.clock.timer(timeoutMs, () => stopped.reject(expired(tool, timeoutMs))) : undefined;
  try {
    // An async function, so that a tool that throws before it returns a promise is no exception.
    const running = (async () => run(inner))();
    const result = normalize(await Promise.race([running, stopped.promise]));
    const parts =
      tool.bounded === true
        ? result.parts
        : await bound(
            withoutSecrets(result.parts, bounds.redact),
            bounds.maxResultChars,
            async (text) => (result.readers === undefined ? bounds.store(context.callId, text) : undefined), // not in a file for whoever comes
          );
    return { kind: "result", ...result, parts };
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    if (error instanceof RuntimeError && error.code === "tool.timeout") stop.abort(error);
    else if (!(error instanceof RuntimeError))
      context.log.warn("tool.threw", { tool: tool.name, error: messageOf(error), stack: stackOf(error) });
    return { kind: "threw", error: describe(error) };
  } finally {
    ended = true;
    deadline?.[Symbol.dispose]();
    context.signal.removeEventListener("abort", onAbort);
  }
}

function expired(tool: Tool, timeoutMs: number): RuntimeError {
  return new RuntimeError(
    "tool.timeout",
    `${tool.name} timed out after ${timeoutMs / 1000} seconds. Next: split the work into smaller steps or try another way.`,
    {
      retryable: tool.effect === "read",
    },
  );
}

/** A thrown error counts as retryable unless it says otherwise. Whatever was thrown gives a readable message. */
function describe(error: unknown): ErrorInfo {
  if (error instanceof RuntimeError) return { ...toErrorInfo(error), message: messageOf(error) };
  const refused = typeof error === "object" && error !== null && "retryable" in error && error.retryable === false;
  return { code: "tool.failed", message: messageOf(error), retryable: !refused };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "").slice(0, 4000) : "";
}

/** Tools of others are plain JavaScript: what they return is checked, not trusted. */
function normalize(result: unknown): Result {
  if (typeof result !== "object" || result === null || !("parts" in result) || !Array.isArray(result.parts))
    return { status: "ok", parts: spoken([{ type: "text", text: asText(result) }]) };
  const { details, isError, status, integrity, confidentiality, readers } = result as Exclude<ToolResult, string>; // its parts were just checked
  return {
    status: isError === true ? (status ?? "error") : "ok",
    parts: spoken(result.parts.filter(isPart)),
    ...(isJson(details) && { details }),
    ...(integrity === "untrusted" && { integrity }),
    ...((confidentiality === "personal" || confidentiality === "sensitive") && { confidentiality }),
    ...(readers !== undefined && { readers: checkedReaders(readers) }),
  };
}

/** Blank texts say nothing; a result of nothing else says so. */
function spoken(parts: readonly ContentPart[]): readonly ContentPart[] {
  const kept = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return kept.length > 0 ? kept : [{ type: "text", text: NO_OUTPUT }];
}

function isPart(part: unknown): part is ContentPart {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  return part.type === "text"
    ? "text" in part && typeof part.text === "string"
    : part.type === "media" && "blob" in part;
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return isJson(value) ? JSON.stringify(value) : `(a result that is not text: ${typeof value})`;
}

/** Details go into the journal: what can't be written there is dropped. */
function isJson(value: unknown): value is Json {
  if (value === undefined) return false;
  try {
    return typeof JSON.stringify(value) === "string";
  } catch {
    return false; // a cycle or a BigInt
  }
}

function withoutSecrets(parts: readonly ContentPart[], redact: Bounds["redact"]): readonly ContentPart[] {
  if (redact === undefined) return parts;
  return parts.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part));
}
