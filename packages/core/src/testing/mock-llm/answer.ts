// From a scripted answer to bytes: parts in order, pauses and cuts in between.

import type { ServerResponse } from "node:http";

import type { RecordedRequest } from "./request.ts";
import type { Answer, Cut, Gate, Piece } from "./script.ts";
import type { AnswerContext, FullPart, Wire } from "./wire.ts";

/** What happens on the connection, in order. */
export type Step = { readonly bytes: string } | { readonly gate: Gate } | Cut;

/** The answer's parts with ids and whole texts, without pauses. */
export function fullParts(answer: Answer, number: number): readonly FullPart[] {
  return answer.parts.flatMap((part, index): readonly FullPart[] => {
    switch (part.type) {
      case "pause":
        return [];
      case "text":
        return [{ type: "text", text: part.pieces.filter(isText).join("") }];
      case "thinking":
        return [part];
      case "call":
        return [{ type: "call", id: part.id ?? `call_${number}_${index}`, name: part.name, arguments: part.arguments }];
    }
  });
}

export function contextOf(
  answer: Answer,
  parts: readonly FullPart[],
  request: RecordedRequest,
  number: number,
): AnswerContext {
  const length = parts.reduce(
    (sum, part) => sum + (part.type === "call" ? part.arguments.length : part.text.length),
    0,
  );
  const counted = {
    input: Math.ceil(request.raw.length / 4),
    output: Math.max(1, Math.ceil(length / 4)),
    cacheRead: 0,
    cacheWrite: 0,
  };
  return {
    id: `mock-${number}`,
    model: request.model,
    finish:
      answer.finish !== "stop" ? answer.finish : parts.some((part) => part.type === "call") ? "tool-calls" : "stop",
    ...(answer.usage !== null && { usage: { ...counted, ...answer.usage } }),
    body: request.body,
  };
}

/** A streamed answer. */
export function streamed(
  wire: Wire,
  answer: Answer,
  parts: readonly FullPart[],
  context: AnswerContext,
): readonly Step[] {
  const steps: Step[] = [{ bytes: wire.open(context) }];
  let index = 0;
  for (const part of answer.parts) {
    if (part.type === "pause") {
      steps.push(...pause(part.piece));
      continue;
    }
    const full = parts[index];
    if (full === undefined) break;
    const block = wire.block(full, index, context, parts);
    index++;
    steps.push({ bytes: block.start });
    const pieces: readonly Piece[] = part.type === "text" ? part.pieces : part.type === "thinking" ? [part.text] : [];
    for (const piece of pieces) steps.push(...(isText(piece) ? [{ bytes: block.delta(piece) }] : pause(piece)));
    steps.push({ bytes: block.stop });
  }
  return [...steps, { bytes: wire.close(parts, context) }];
}

/** The same answer as one JSON body; pauses come before it. */
export function whole(wire: Wire, answer: Answer, parts: readonly FullPart[], context: AnswerContext): readonly Step[] {
  const pieces = answer.parts.flatMap((part) =>
    part.type === "text" ? part.pieces : part.type === "pause" ? [part.piece] : [],
  );
  return [
    ...pieces.filter((piece) => !isText(piece)).flatMap(pause),
    { bytes: JSON.stringify(wire.json(parts, context)) },
  ];
}

/** Writes the steps. Text of several steps goes out in one write up to `batch` steps. */
export async function perform(
  steps: readonly Step[],
  response: ServerResponse,
  pace: { readonly batch: number; readonly chunkDelayMs: number; readonly closed: Promise<void> },
): Promise<void> {
  let waiting = "";
  let count = 0;
  const flush = async (): Promise<void> => {
    if (waiting !== "" && !response.destroyed) await write(response, waiting);
    waiting = "";
    count = 0;
  };
  for (const [index, step] of steps.entries()) {
    if (response.destroyed) return;
    if ("bytes" in step) {
      waiting += step.bytes;
      // The frame around the deltas travels with them; only deltas are counted.
      if (
        index > 0 &&
        index < steps.length - 1 &&
        step.bytes !== "" &&
        ++count >= pace.batch &&
        pace.chunkDelayMs > 0
      ) {
        await flush();
        await delay(pace.chunkDelayMs);
      } else if (count >= pace.batch && pace.batch > 1) await flush();
      continue;
    }
    await flush();
    if ("cut" in step) {
      response.destroy();
      return;
    }
    await Promise.race([step.gate.opened, pace.closed]);
  }
  if (!response.destroyed) response.end(waiting);
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Resolves when the bytes are with the kernel: a cut afterwards does not swallow them. */
function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

function pause(piece: Piece): readonly Step[] {
  if (isText(piece)) return [];
  return ["cut" in piece ? piece : { gate: piece }];
}

function isText(piece: Piece): piece is string {
  return typeof piece === "string";
}
