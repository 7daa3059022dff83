// Answers of Gemini generateContent.
import type { RuntimeError } from "../lib/errors/errors.ts";
import { asRecord } from "../model/failure-text.ts";
import type { TokenReport } from "../model/usage.ts";
import type { Answer, CallSink, ThinkingSink } from "../model/wire/answer.ts";
import type { Ending } from "../model/wire/finished-parts.ts";
import { pathArguments, type PathArguments } from "./google-arguments.ts";
import type { State } from "../model/wire/pieces.ts";
import type { WireEvent, WireReader } from "../model/wire/wire.ts";

/** `undefined`: it broke off. */
const FINISH: Readonly<Record<string, Ending>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  IMAGE_SAFETY: "refusal",
  RECITATION: "refusal",
  SAFETY: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  MALFORMED_FUNCTION_CALL: undefined,
};

interface Reading {
  readonly answer: Answer;
  readonly failed: (status: number, body: WireEvent) => RuntimeError;
  finished: boolean;
  ending: Ending;
  usage: WireEvent | undefined;
  /** A text that what follows belongs to. */
  inText: boolean;
  thinking: ThinkingSink | undefined;
  /** A call whose arguments are still to come. */
  pieces: { readonly sink: CallSink; readonly args: PathArguments; readonly state: State | undefined } | undefined;
}

export function readGoogle(answer: Answer, failed: Reading["failed"]): WireReader {
  const reading: Reading = {
    answer,
    failed,
    finished: false,
    ending: undefined,
    usage: undefined,
    inText: false,
    thinking: undefined,
    pieces: undefined,
  };
  const event = (value: WireEvent): void => takeEvent(reading, value);
  return {
    event,
    body: event,
    marker: () => undefined,
    flush: () => undefined,
    end: () => {
      // A call that broke off is not taken for a whole one.
      reading.pieces?.sink.add(reading.pieces.args.text().slice(0, -1));
      answer.finish(reading.ending, reading.usage === undefined ? undefined : tokensOf(reading.usage));
    },
    get finished() {
      return reading.finished;
    },
    closed: false,
  };
}

function takeEvent(reading: Reading, value: WireEvent): void {
  if (value["error"] !== undefined && value["error"] !== null) throw reading.failed(200, value);
  reading.usage = asRecord(value["usageMetadata"]) ?? reading.usage;
  const candidates = Array.isArray(value["candidates"]) ? value["candidates"].map(asRecord) : [];
  const candidate = candidates.find((item) => (item?.["index"] ?? 0) === 0);
  if (candidate === undefined) {
    const blocked = asRecord(value["promptFeedback"])?.["blockReason"];
    // A blocked prompt has no candidate and so no finish of its own.
    if (typeof blocked === "string" && !reading.finished) {
      reading.finished = true;
      reading.ending = "refusal";
    }
    return;
  }
  const parts = asRecord(candidate["content"])?.["parts"];
  if (Array.isArray(parts)) for (const part of parts) takePart(reading, asRecord(part) ?? {});
  const reason = candidate["finishReason"];
  if (typeof reason !== "string" || reason === "") return;
  if (reason !== "FINISH_REASON_UNSPECIFIED") reading.finished = true;
  reading.ending = Object.hasOwn(FINISH, reason) ? FINISH[reason] : "other";
}

function takePart(reading: Reading, part: WireEvent): void {
  const { text, thoughtSignature: signature } = part;
  const state: State | undefined =
    typeof signature === "string" && signature !== "" ? { google: { thoughtSignature: signature } } : undefined;
  const call = asRecord(part["functionCall"]);
  if (typeof text === "string") takeText(reading, text, part["thought"] === true, state);
  else if (part["inlineData"] !== undefined) breakOff(reading);
  else if (call !== undefined) takeCall(reading, call, state);
}

function takeText(reading: Reading, text: string, thought: boolean, state: State | undefined): void {
  const { answer } = reading;
  if (text === "") {
    // A signature alone: of the text that was said, or of reasoning without words.
    if (state === undefined || reading.inText) return;
    reading.thinking = undefined;
    if (thought) answer.thinking().state(state);
    return;
  }
  if (thought) {
    reading.inText = false;
    const thinking = (reading.thinking ??= answer.thinking());
    thinking.add(text);
    if (state !== undefined) thinking.state(state);
    return;
  }
  reading.thinking = undefined;
  if (!reading.inText) answer.breakText();
  reading.inText = true;
  answer.text(text);
}

function takeCall(reading: Reading, call: WireEvent, state: State | undefined): void {
  const { name, args, willContinue } = call;
  const pieces: readonly unknown[] | undefined = Array.isArray(call["partialArgs"]) ? call["partialArgs"] : undefined;
  if (pieces === undefined && args === undefined && (name === undefined || willContinue === true)) {
    // The beginning of a call in pieces, or its end.
    if (name === undefined) endPieces(reading);
    else startPieces(reading, name, state);
    return;
  }
  if (pieces !== undefined) {
    if (name !== undefined) startPieces(reading, name, state);
    reading.pieces?.args.take(pieces);
    const goesOn = willContinue === true || pieces.some((piece) => asRecord(piece)?.["willContinue"] === true);
    if (!goesOn) endPieces(reading);
    return;
  }
  breakOff(reading);
  const sink = reading.answer.call(typeof name === "string" ? name : "");
  const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
  if (args !== undefined && args !== null) sink.add(text);
  sink.end(text, state);
}

function startPieces(reading: Reading, name: unknown, state: State | undefined): void {
  endPieces(reading);
  const sink = reading.answer.call(typeof name === "string" ? name : "");
  reading.pieces = { sink, args: pathArguments(), state };
}

function endPieces(reading: Reading): void {
  if (reading.pieces === undefined) return;
  const { sink, args, state } = reading.pieces;
  reading.pieces = undefined;
  breakOff(reading);
  sink.add(args.text());
  sink.end(undefined, state);
}

function breakOff(reading: Reading): void {
  reading.inText = false;
  reading.thinking = undefined;
}

function tokensOf(usage: WireEvent): TokenReport {
  const count = (name: string): number => {
    const value = usage[name];
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  return {
    inputTokens: {
      total: count("promptTokenCount") + count("toolUsePromptTokenCount"),
      cacheRead: count("cachedContentTokenCount"),
    },
    outputTokens: { total: count("candidatesTokenCount") + count("thoughtsTokenCount") },
  };
}
