// What the conformance suites share: they know no test framework, only a function that registers a named test.

import type { Address, UserMessage } from "../contract/message.ts";

/** `test` of vitest, `it` of mocha, `test` of node:test … */
export type Register = (name: string, run: () => Promise<void>) => void;

/** A place in which an implementation keeps its data; disposed at the end of a test. */
export interface Place<T> extends Partial<AsyncDisposable> {
  /** Opens what is there; called again after the first has been disposed of. */
  open(): T | Promise<T>;
}

export const CHAT: Address = { channel: "test", chat: "1" };

/** A message of a person; everything else follows from `key` and `text`. */
export function userMessage(key: string, text: string): UserMessage {
  return {
    role: "user",
    id: `message-${key}`,
    at: 1000,
    from: { id: "person", kind: "person" },
    parts: [{ type: "text", text }],
  };
}

/** Runs `body` in a new place and disposes of it. */
export async function inPlace<T>(
  create: () => Promise<Place<T>>,
  body: (place: Place<T>) => Promise<void>,
): Promise<void> {
  const place = await create();
  try {
    await body(place);
  } finally {
    await place[Symbol.asyncDispose]?.();
  }
}
