// An answer as it is heard: deltas at once, and at its end the parts that are kept of it, within all bounds.
import type { CallId } from "../../contract/base.ts";
import type { AssistantPart, Usage } from "../../contract/message.ts";
import type { ModelEvent } from "../../contract/provider.ts";
import { reportedUsage, type TokenReport } from "../usage.ts";
import { callPart, finishOf, mergedState, partOf, type Block, type Call, type Ending } from "./finished-parts.ts";
import type { State } from "./pieces.ts";
import { thinkFilter, type ThinkFilter } from "./think.ts";

/** More calls than this in one answer is a model gone astray; the rest is left out and the model is told. */
export const MAX_CALLS = 64;
/** Argument text of one answer; beyond it the stream is cut. */
export const MAX_ARGUMENT_CHARS: number = 1024 * 1024;

/** Text and reasoning of one answer: a million tokens. Beyond it the stream is cut. */
export const MAX_TEXT_CHARS: number = 4 * 1024 * 1024;

export interface AnswerContext {
  readonly provider: string;
  readonly requestId: string;
  readonly estimate: (parts: readonly AssistantPart[]) => Usage;
}

/** A run of reasoning that the wire marks as such. */
export interface ThinkingSink {
  add(text: string): void;
  /** Signature, encrypted content: by the name of the API. Later ones are added. */
  state(state: State): void;
}
export interface CallSink {
  add(text: string): void;
  /** @param text All of the arguments, when the wire says them again. */
  end(text: string | undefined, state?: State): void;
}

/** What a wire's reader tells. */
export interface Answer {
  /** Heard since they were last taken. */
  readonly events: ModelEvent[];
  /** A bound was passed: nothing more is heard. */
  readonly cut: boolean;
  text(text: string): void;
  /** What follows is another text. */
  breakText(): void;
  thinking(): ThinkingSink;
  /** @param name Blank: the call is left out, and the model is told. */
  call(name: string): CallSink;
  finish(ending: Ending, usage: TokenReport | undefined): void;
  /**
   * The rest of the deltas, every part, then `done`.
   * @throws RuntimeError `provider.truncated` when nothing said how the answer ended.
   */
  end(): readonly ModelEvent[];
}

interface Heard {
  readonly context: AnswerContext;
  readonly events: ModelEvent[];
  readonly blocks: Block[];
  readonly calls: Call[];
  filter: ThinkFilter;
  nextIndex: number;
  callsSeen: number;
  argumentChars: number;
  textChars: number;
  nameless: boolean;
  cut: boolean;
  restarted: boolean;
  ending: Ending;
  usage: TokenReport | undefined;
  textBlock: Block | undefined;
  /** Reasoning from inline tags. */
  tagBlock: Block | undefined;
}

export function createAnswer(context: AnswerContext): Answer {
  const heard: Heard = {
    context,
    events: [],
    blocks: [],
    calls: [],
    filter: thinkFilter({ text: (text) => shown(heard, text), thinking: (text) => tagged(heard, text) }),
    nextIndex: 0,
    callsSeen: 0,
    argumentChars: 0,
    textChars: 0,
    nameless: false,
    cut: false,
    restarted: false,
    ending: undefined,
    usage: undefined,
    textBlock: undefined,
    tagBlock: undefined,
  };
  return {
    events: heard.events,
    get cut() {
      return heard.cut;
    },
    text: (text) => {
      countText(heard, text.length);
      heard.filter.push(text);
      noticeRestart(heard);
    },
    breakText: () => {
      if (heard.textBlock !== undefined && heard.textBlock.chunks.length > 0) heard.textBlock = undefined;
    },
    thinking: () => openThinking(heard),
    call: (name) => openCall(heard, name),
    finish: (ending, usage) => {
      heard.ending = ending;
      heard.usage = usage;
    },
    end: () => finished(heard),
  };
}

function openBlock(heard: Heard, kind: Block["kind"], native: boolean): Block {
  const block: Block = { index: heard.nextIndex++, kind, chunks: [], native, state: undefined };
  heard.blocks.push(block);
  return block;
}

function shown(heard: Heard, text: string): void {
  noticeRestart(heard); // what the same delta says behind the tag is the answer
  heard.tagBlock = undefined;
  const block = (heard.textBlock ??= openBlock(heard, "text", true));
  block.chunks.push(text);
  heard.events.push({ type: "text.delta", index: block.index, text });
}

function tagged(heard: Heard, text: string): void {
  const block = (heard.tagBlock ??= openBlock(heard, "thinking", false));
  block.chunks.push(text);
  heard.events.push({ type: "thinking.delta", index: block.index, text });
}

/** A closing tag without an opening one: what was taken for text becomes reasoning in the record. */
function noticeRestart(heard: Heard): void {
  if (heard.restarted || !heard.filter.restarted) return;
  heard.restarted = true;
  for (const block of heard.blocks) {
    if (block.kind !== "text") continue;
    block.kind = "thinking";
    block.native = false;
  }
  heard.textBlock = undefined;
}

function openThinking(heard: Heard): ThinkingSink {
  const block = openBlock(heard, "thinking", true);
  heard.textBlock = undefined;
  return {
    add: (text) => {
      if (text === "") return;
      countText(heard, text.length);
      block.chunks.push(text);
      heard.events.push({ type: "thinking.delta", index: block.index, text });
    },
    state: (state) => {
      block.state = mergedState(block.state, state);
    },
  };
}

function openCall(heard: Heard, name: string): CallSink {
  const call = countCall(heard, name);
  let counted = false;
  const count = (text: string): void => {
    counted = true;
    countArguments(heard, text.length);
  };
  return {
    add: (text) => {
      count(text);
      if (call === undefined) return;
      call.chunks.push(text);
      const { index, callId } = call;
      if (text !== "") heard.events.push({ type: "tool-call.delta", index, callId, name, text });
    },
    end: (text, state) => {
      if (!counted && text !== undefined) count(text);
      if (call === undefined) return;
      call.text = text;
      call.state = mergedState(call.state, state);
    },
  };
}

/** @returns undefined: it is left out. */
function countCall(heard: Heard, name: string): Call | undefined {
  if (name.trim() === "") {
    heard.nameless = true;
    return undefined;
  }
  heard.callsSeen++;
  if (heard.callsSeen > MAX_CALLS) return undefined;
  // The counter is in order of appearance, whatever ids the provider repeats or leaves out.
  const callId = `${heard.context.requestId}-${heard.callsSeen}` as CallId; // Minted here, by the rule of ModelRequest.id.
  const call: Call = { index: heard.nextIndex++, callId, name, chunks: [], text: undefined, state: undefined };
  heard.calls.push(call);
  return call;
}

function countArguments(heard: Heard, chars: number): void {
  heard.argumentChars += chars;
  if (heard.argumentChars > MAX_ARGUMENT_CHARS) heard.cut = true;
}

function countText(heard: Heard, chars: number): void {
  heard.textChars += chars;
  if (heard.textChars > MAX_TEXT_CHARS) heard.cut = true;
}

function finished(heard: Heard): readonly ModelEvent[] {
  const { context, events, blocks, calls } = heard;
  heard.filter.end();
  noticeRestart(heard);
  const how = heard.cut ? "cut" : finishOf(heard.ending, calls.length > 0, context.provider);
  const clean = (how === "stop" || how === "tool-calls") && heard.ending !== "other";
  const dropped = droppedOf(heard, clean);
  const kept = clean ? calls : [];
  // Calls have to come back with the state they were made with, also when one beside them was left out.
  const complete = dropped === undefined || kept.length > 0;
  const parts: { readonly index: number; readonly part: AssistantPart }[] = [];
  for (const block of blocks) {
    const part = partOf(block, context.provider, complete);
    if (part !== undefined) parts.push({ index: block.index, part });
  }
  for (const call of kept) parts.push({ index: call.index, part: callPart(call, context.provider, complete) });
  parts.sort((a, b) => a.index - b.index);
  const usage = reportedUsage(heard.usage) ?? context.estimate(parts.map(({ part }) => part));
  return [
    ...events.splice(0),
    ...parts.map(({ index, part }): ModelEvent => ({ type: "part", index, part })),
    {
      type: "done",
      finish: how === "stop" && kept.length > 0 ? "tool-calls" : how,
      usage,
      ...(dropped !== undefined && { dropped }),
    },
  ];
}

function droppedOf({ callsSeen, nameless }: Heard, clean: boolean): "unfinished" | "nameless" | "too-many" | undefined {
  if ((callsSeen > 0 || nameless) && !clean) return "unfinished";
  return callsSeen > MAX_CALLS ? "too-many" : nameless ? "nameless" : undefined;
}
