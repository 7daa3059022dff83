// Our messages → the AI SDK's prompt: legal order for every wire, each message converted once.
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  Message,
  NoticeMessage,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../contract/message.ts";
import type { ModelRequest, Prefix } from "../contract/provider.ts";
import {
  assistantContent,
  createMediaReader,
  mediaParts,
  resultName,
  toolResult,
  userContent,
} from "./prompt-parts.ts";
import type { MediaReader, UserContent } from "./prompt-parts.ts";
import { wireCallId, wireToolName } from "../model/wire/wire-ids.ts";
import type { Quirks } from "../model/quirks.ts";

export interface PromptOptions {
  readonly provider: string;
  readonly model: string;
  readonly quirks: Required<Quirks>;
}
/**
 * Rows that no other message changes or merges with: from one answer to before the next, with what came between them.
 * The first begins the prompt.
 */
export interface Segment {
  /** Place of its first message. */
  readonly from: number;
  readonly rows: readonly LanguageModelV4Message[];
  /** Which of its rows is the last one that a person began. */
  readonly turnRow: number | undefined;
  /** Has files in it. */
  readonly heavy: boolean;
}
export interface PromptBuilder {
  build(request: ModelRequest): Promise<LanguageModelV4Prompt>;
  /** The prompt in pieces, from message 0 or the `from` of an earlier segment on. The last segment may still grow. */
  segments(request: ModelRequest, from: number, to?: number): Promise<readonly Segment[]>;
}

type AssistantRow = Extract<LanguageModelV4Message, { role: "assistant" }>;
/** A tool row, and the images that this wire cannot take inside it. */
interface ToolRow {
  readonly part: LanguageModelV4ToolResultPart;
  readonly media: UserContent;
}

/**
 * A builder that remembers the conversion of each message object: a long history costs one pass over references per
 * request. Neighboring user rows and notices become one user row; results stand directly behind their calls; a call
 * without a result gets one; nothing starts with an assistant row.
 */
export function promptBuilder(options: PromptOptions): PromptBuilder {
  const users = new WeakMap<Message, UserContent>();
  const assistants = new WeakMap<Message, AssistantRow>();
  const tools = new WeakMap<Message, ToolRow>();
  const systems = new WeakMap<Prefix, LanguageModelV4Message>();
  const reader = createMediaReader(options.quirks);

  // A row that is known is not awaited: two thousand turns of the microtask queue would cost more than the rest.
  const userRow = (message: UserMessage | NoticeMessage, media: MediaReader): UserContent | Promise<UserContent> =>
    users.get(message) ?? makeUserRow(message, media);
  const makeUserRow = async (message: UserMessage | NoticeMessage, media: MediaReader): Promise<UserContent> => {
    const made =
      message.role === "notice"
        ? [{ type: "text" as const, text: message.text.toWellFormed() }]
        : await userContent(message.parts, media);
    // Files are remembered by the reader, which has a bound.
    if (!made.some((part) => part.type === "file")) users.set(message, made);
    return made;
  };
  const assistantRow = (message: AssistantMessage): AssistantRow => {
    const known = assistants.get(message);
    if (known !== undefined) return known;
    const made: AssistantRow = { role: "assistant", content: assistantContent(message, options) };
    assistants.set(message, made);
    return made;
  };
  const toolRow = async (message: ToolMessage, media: MediaReader): Promise<ToolRow> => {
    const made = {
      part: await toolResult(message, options.quirks, media),
      media: options.quirks.toolResultImages ? [] : await mediaParts(message, media),
    };
    if (!message.parts.some((part) => part.type === "media")) tools.set(message, made);
    return made;
  };
  const systemRow = (prefix: Prefix): LanguageModelV4Message | undefined => {
    if (prefix.system === "") return undefined;
    const known = systems.get(prefix);
    if (known !== undefined) return known;
    const made: LanguageModelV4Message = { role: "system", content: prefix.system.toWellFormed() };
    systems.set(prefix, made);
    return made;
  };

  const segments = async (
    request: ModelRequest,
    from: number,
    to: number = request.messages.length,
  ): Promise<readonly Segment[]> => {
    const media = reader(request.media);
    const done: Segment[] = [];
    const system = from === 0 ? systemRow(request.prefix) : undefined;
    let open: Growing = { from, rows: system === undefined ? [] : [system], turnRow: undefined, heavy: false };
    const isEmpty = (): boolean =>
      from === 0 && done.length === 0 && open.rows.length === (system === undefined ? 0 : 1);
    let user: { readonly content: UserContent; readonly owned: boolean } | undefined;
    const addUser = (content: UserContent): void => {
      if (content.length === 0) return;
      open.heavy ||= content.some((part) => part.type === "file");
      // The first row of a group is shared with the cache and copied only when a second one joins.
      user =
        user === undefined
          ? { content, owned: false }
          : { content: user.owned ? user.content : [...user.content], owned: true };
      if (user.owned) user.content.push(...content);
    };
    const closeUser = (): void => {
      if (user !== undefined) open.rows.push({ role: "user", content: user.content });
      user = undefined;
    };
    const addOthers = async (others: Round["others"]): Promise<void> => {
      for (const message of others) {
        if (message.role === "user") open.turnRow = open.rows.length;
        const row = message.role === "tool" ? orphan(message) : userRow(message, media);
        addUser(Array.isArray(row) ? row : await row);
      }
    };
    for (const round of rounds(request.messages, from, to)) {
      if (round.assistant !== undefined) {
        const row = assistantRow(round.assistant);
        if (row.content.length > 0) {
          closeUser();
          if (isEmpty()) open.rows.push(BEGINNING);
          else if (open.rows.length > 0 && open.rows.at(-1)?.role !== "assistant") {
            done.push(open);
            open = { from: round.at, rows: [], turnRow: undefined, heavy: false };
          }
          open.rows.push(row);
        }
        const content: LanguageModelV4ToolResultPart[] = [];
        const later: UserContent = [];
        for (const call of round.assistant.parts) {
          if (call.type !== "tool-call") continue;
          const result = round.results.get(call.callId);
          const known = result === undefined ? undefined : (tools.get(result) ?? (await toolRow(result, media)));
          content.push(known?.part ?? missingResult(call, options.quirks));
          if (known === undefined) continue;
          open.heavy ||= known.part.output.type === "content";
          later.push(...known.media);
        }
        if (content.length > 0) open.rows.push({ role: "tool", content });
        addUser(later);
      }
      if (round.others.length > 0) await addOthers(round.others);
    }
    closeUser();
    if (isEmpty()) open.rows.push({ role: "user", content: [{ type: "text", text: "(empty message)" }] });
    return [...done, open];
  };
  const build = async (request: ModelRequest): Promise<LanguageModelV4Prompt> => {
    const prompt: LanguageModelV4Message[] = [];
    let previous: number | undefined;
    for (const { rows, turnRow } of await segments(request, 0)) {
      if (turnRow !== undefined) previous = prompt.length + turnRow - 1;
      for (const row of rows) prompt.push(row);
    }
    return options.quirks.cacheControl === "blocks" ? withBreakpoints(prompt, previous) : prompt;
  };
  return { build, segments };
}

interface Growing extends Segment {
  rows: LanguageModelV4Message[];
  turnRow: number | undefined;
  heavy: boolean;
}

/** No wire takes a conversation that begins with an answer. */
const BEGINNING: LanguageModelV4Message = {
  role: "user",
  content: [{ type: "text", text: "(The conversation begins before this point.)" }],
};

interface Round {
  /** Place of its first message. */
  readonly at: number;
  readonly assistant: AssistantMessage | undefined;
  readonly results: ReadonlyMap<string, ToolMessage>;
  /** What stands between this assistant row and the next, its results left out. */
  readonly others: readonly (UserMessage | NoticeMessage | ToolMessage)[];
}

/** Each assistant row with what follows it, so that results can be put directly behind their calls. */
function* rounds(messages: readonly Message[], from: number, to: number): Generator<Round> {
  let index = from - 1;
  let at = from;
  let assistant: AssistantMessage | undefined;
  let expected: ReadonlySet<string> = new Set();
  let results = new Map<string, ToolMessage>();
  let others: (UserMessage | NoticeMessage | ToolMessage)[] = [];
  for (const message of messages.slice(from, to)) {
    index++;
    if (message.role === "assistant") {
      if (assistant !== undefined || others.length > 0) yield { at, assistant, results, others };
      at = index;
      assistant = message;
      expected = new Set(message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
      results = new Map();
      others = [];
    } else if (message.role === "tool" && expected.has(message.callId) && !results.has(message.callId))
      results.set(message.callId, message);
    else others.push(message);
  }
  if (assistant !== undefined || others.length > 0) yield { at, assistant, results, others };
}

/** A result whose call is not in sight would be rejected; as text it still says what happened. */
function orphan(message: ToolMessage): UserContent {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return [{ type: "text", text: `[Earlier result of ${message.name}]\n${text}`.toWellFormed() }];
}

function missingResult({ callId, name }: ToolCallPart, quirks: Required<Quirks>): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: wireCallId(callId, quirks.callIds),
    toolName: wireToolName(name),
    ...resultName(name, quirks),
    output: { type: "text", value: "Error: no result; the call was interrupted and may have taken effect." },
  };
}

/** Anthropic's `cache_control`: at most four, the fourth is at the end of the tools. */
export const BREAKPOINT: SharedV4ProviderOptions = {
  anthropic: { cacheControl: { type: "ephemeral" } },
  openaiCompatible: { cache_control: { type: "ephemeral" } },
};

/**
 * End of system, last message of the previous turn, last message.
 * @param previous Place of the last message of the previous turn.
 */
export function withBreakpoints(prompt: LanguageModelV4Message[], previous: number | undefined): LanguageModelV4Prompt {
  const marks = new Set<number>([prompt.length - 1]);
  if (prompt[0]?.role === "system") marks.add(0);
  if (previous !== undefined && previous > 0) marks.add(previous);
  for (const at of marks) {
    const message = prompt[at];
    if (message !== undefined) prompt[at] = { ...message, providerOptions: BREAKPOINT };
  }
  return prompt;
}
