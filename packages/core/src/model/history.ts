// Which rows of a prompt go through the adapter again, and which are sent as the bytes it made of them before.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Message } from "../contract/message.ts";
import type { ModelRequest } from "../contract/provider.ts";
import { startsWith } from "../lib/async/growing-list.ts";
import { argumentText } from "./wire/arguments.ts";
import { withBreakpoints } from "../bridge/to-prompt.ts";
import type { PromptBuilder, Segment } from "../bridge/to-prompt.ts";
import type { Ticket } from "./wire/splice.ts";

/** Segments that are settled: what comes later changes nothing in them. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly turnRow: number | undefined;
  readonly heavy: boolean;
  readonly chars: number;
  readonly bytes?: Uint8Array;
}
interface Memory {
  /** The history that the spans belong to, object by object. */
  readonly messages: readonly Message[];
  /** The first of them always goes through the adapter: some put the system prompt into it. */
  spans: readonly Span[];
}

export interface History {
  /** The prompt with cuts where the ticket has bytes to put in; equal to the builder's when there is nothing to save. */
  plan(request: ModelRequest, ticket: Ticket): Promise<LanguageModelV4Prompt>;
}

/** Remembers a history by its first message, so that it is forgotten with its session. */
export function createHistory(builder: PromptBuilder, breakpoints: boolean, minChars: number): History {
  const memories = new WeakMap<Message, Memory>();

  /** What is known of this request's settled part. */
  const recall = (messages: readonly Message[]): readonly Span[] => {
    const first = messages[0];
    const memory = first === undefined ? undefined : memories.get(first);
    const end = memory?.spans.at(-1)?.to ?? 0;
    return memory !== undefined && startsWith(messages, memory.messages, end) ? memory.spans : [];
  };

  const plan = async (request: ModelRequest, ticket: Ticket): Promise<LanguageModelV4Prompt> => {
    const { messages } = request;
    const known = recall(messages);
    const found = await builder.segments(request, known.at(-1)?.to ?? 0);
    const open = found.at(-1);
    const fresh = found.slice(0, -1).map((segment, at) => settled(segment, found[at + 1]?.from ?? 0, messages));
    const memory: Memory = { messages, spans: [...known, ...fresh] };
    if (messages[0] !== undefined) memories.set(messages[0], memory);
    const rows = new Map<Span, readonly LanguageModelV4Message[]>(
      fresh.map((span, at) => [span, found[at]?.rows ?? []]),
    );
    const marked = breakpoints && open?.turnRow === undefined ? lastTurn(memory.spans) : undefined;
    const wanted = new Set(
      memory.spans.filter((span, at) => at > 0 && span !== marked && !span.heavy && span.bytes === undefined),
    );
    const learning = [...wanted].reduce((sum, span) => sum + span.chars, 0) >= minChars;

    const prompt: LanguageModelV4Message[] = [];
    let previous: number | undefined;
    let learned: Span[] = [];
    let gathered: Uint8Array[] = [];
    let state: "live" | "known" | "learn" = "live";
    const cut = (): void => {
      const [bytes, spans]: [Uint8Array[], Span[]] = [[], []];
      gathered = bytes;
      learned = spans;
      prompt.push(...ticket.rows({ known: bytes, learn: (made) => remember(memory, spans, made) }));
    };
    for (const span of memory.spans) {
      if (span !== marked && span.bytes !== undefined) {
        if (state !== "known") cut();
        gathered.push(span.bytes);
        state = "known";
        continue;
      }
      if (learning && wanted.has(span)) {
        if (state === "live") cut();
        learned.push(span);
        state = "learn";
      } else {
        if (state === "learn") cut();
        state = "live";
      }
      if (span === marked && span.turnRow !== undefined) previous = prompt.length + span.turnRow - 1;
      for (const row of rows.get(span) ?? (await rowsOf(span, request))) prompt.push(row);
    }
    if (state === "learn") cut();
    if (open?.turnRow !== undefined) previous = prompt.length + open.turnRow - 1;
    prompt.push(...(open?.rows ?? []));
    return breakpoints ? withBreakpoints(prompt, previous) : prompt;
  };

  const rowsOf = async (span: Span, request: ModelRequest): Promise<readonly LanguageModelV4Message[]> =>
    (await builder.segments(request, span.from, span.to)).flatMap((segment) => segment.rows);

  return { plan };
}

/** Replaces neighbors by one span with their bytes, unless another request was faster. */
function remember(memory: Memory, spans: readonly Span[], bytes: Uint8Array): void {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || !memory.spans.includes(first)) return;
  const whole: Span = { ...first, to: last.to, turnRow: undefined, bytes };
  const gone = new Set(spans);
  memory.spans = memory.spans.flatMap((span) => (span === first ? [whole] : gone.has(span) ? [] : [span]));
}

function settled(segment: Segment, to: number, messages: readonly Message[]): Span {
  const { from, turnRow, heavy } = segment;
  return {
    from,
    to,
    turnRow,
    heavy,
    chars: messages.slice(from, to).reduce((sum, message) => sum + charsOf(message), 0),
  };
}

function charsOf(message: Message): number {
  if (message.role === "notice") return message.text.length;
  return message.parts.reduce(
    (sum: number, part) =>
      sum + (part.type === "tool-call" ? argumentText(part).length : part.type === "media" ? 0 : part.text.length),
    64,
  );
}

function lastTurn(spans: readonly Span[]): Span | undefined {
  return spans.findLast((span) => span.turnRow !== undefined);
}
