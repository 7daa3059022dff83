// Argument text that is not JSON, carried through an adapter that would quote it, and put back into the request body.
import { asRecord } from "./failure-text.ts";

const MARK = "margay_raw_arguments";

/** Stands for the text as a tool input; {@link restoreRawArguments} undoes it. */
export function rawArguments(text: string): unknown {
  return { [MARK]: text.toWellFormed() };
}

/** The body with the text itself where an OpenAI API carries arguments: `tool_calls` of messages, `function_call` items. */
export function restoreRawArguments(body: string): string {
  if (!body.includes(MARK)) return body;
  const request = asRecord(parse(body));
  if (request === undefined) return body;
  const { messages, input } = request;
  return JSON.stringify({
    ...request,
    ...(Array.isArray(messages) && { messages: messages.map(withoutMark) }),
    ...(Array.isArray(input) && { input: input.map(restored) }),
  });
}

function withoutMark(message: unknown): unknown {
  const calls = asRecord(message)?.["tool_calls"];
  if (!Array.isArray(calls)) return message;
  const tool_calls = calls.map((call: unknown) => {
    const record = asRecord(call);
    return record === undefined ? call : { ...record, function: restored(record["function"]) };
  });
  return { ...asRecord(message), tool_calls };
}

function restored(holder: unknown): unknown {
  const text = asRecord(holder)?.["arguments"];
  if (typeof text !== "string" || !text.startsWith(`{"${MARK}":`)) return holder;
  const raw = asRecord(parse(text))?.[MARK];
  return typeof raw === "string" ? { ...asRecord(holder), arguments: raw } : holder;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // A model wrote the mark itself: its text stays as it is.
  }
}
