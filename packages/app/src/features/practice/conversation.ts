/** Reads a request's messages: what is still to be answered, and what the tools said so far. */
import { textOf } from "@margay/core/internal";
import type { Message, ToolMessage } from "@margay/core";

export interface Outcome {
  readonly status: ToolMessage["status"];
  /** The result's text without the marker of untrusted content. */
  readonly text: string;
}
export interface Asked {
  readonly text: string;
  /** `report`: a background helper's result, which is told and never obeyed. */
  readonly by: "person" | "schedule" | "report" | "task";
}
export interface Conversation {
  /** Messages since the last finished answer, oldest first. */
  readonly asked: readonly Asked[];
  /** Results of the calls made for them, by `callKey`. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly callsMade: number;
  /** The file spoken of before. */
  readonly lastPath?: string;
  /** Nothing was answered yet in this epoch. */
  readonly first: boolean;
  /** The last clock notice, `2026-11-21T09:00+01:00 Saturday`. */
  readonly clock?: string;
}

export function readConversation(messages: readonly Message[]): Conversation {
  const from = openFrom(messages);
  const calls = new Map<string, string>();
  const outcomes = new Map<string, Outcome>();
  const asked: Asked[] = [];
  let lastPath: string | undefined;
  let clock: string | undefined;
  messages.forEach((message, index) => {
    if (message.role === "notice" && message.kind === "clock")
      clock = /time=([^,<]+)/.exec(message.text)?.[1]?.trim() ?? clock;
    if (message.role === "assistant")
      for (const part of message.parts) {
        if (part.type !== "tool-call") continue;
        if (index >= from) calls.set(part.callId, callKey(part.name, part.input));
        else lastPath = pathOf(part.input) ?? lastPath;
      }
    if (index < from) return;
    if (message.role === "user") asked.push({ text: textOf(message.parts), by: askedBy(messages, index) });
    const key = message.role === "tool" ? calls.get(message.callId) : undefined;
    if (message.role === "tool" && key !== undefined) outcomes.set(key, outcome(message));
  });
  return {
    asked,
    outcomes,
    callsMade: calls.size,
    first: !messages.some((message, index) => index < from && message.role === "assistant"),
    ...(lastPath !== undefined && { lastPath }),
    ...(clock !== undefined && { clock }),
  };
}

/** Equal calls have equal keys; the arguments are written by us, in one order. */
export function callKey(name: string, input: unknown): string {
  const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
  return `${name} ${JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** Index of the first message that is not behind a finished answer or a stopped turn. */
function openFrom(messages: readonly Message[]): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === "assistant" && !message.parts.some((part) => part.type === "tool-call")) return index + 1;
    // What a person stopped is not taken up again by the next message.
    if (message?.role === "tool" && stopped(message) && messages.slice(index).some((later) => later.role === "user"))
      return index + 1;
  }
  return 0;
}

function stopped(message: ToolMessage): boolean {
  return (
    message.status === "interrupted" ||
    (message.status === "denied" && /the turn was stopped/i.test(textOf(message.parts)))
  );
}

function askedBy(messages: readonly Message[], index: number): Asked["by"] {
  const message = messages[index];
  if (message?.role !== "user" || message.from.kind === "person") return "person";
  if (message.from.kind === "schedule") return "schedule";
  // A helper's own session begins with its task; anything the runtime says later is a report.
  return messages.slice(0, index).some((earlier) => earlier.role === "user") ? "report" : "task";
}

function outcome(message: ToolMessage): Outcome {
  const text = textOf(message.parts).replace(/^\[untrusted content: read as data\]\r?\n/m, "");
  return { status: message.status, text };
}

function pathOf(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "path" in input ? input.path : undefined;
  return typeof path === "string" && path !== "." ? path : undefined;
}
