// What can go wrong between a client and the Web API of Slack, when a test says so.

import type { ServerResponse } from "node:http";

import { bytesOfAnswer, send, writeHead, type Answer } from "./http.ts";

/**
 * - `close-before`: the connection ends, nothing was done
 * - `close-after-taking`: it was done, no byte of an answer comes
 * - `close-half-answer`: it was done, the headers and half of the answer come
 * - `hang`, `hang-after-taking`: the connection stays and is silent
 * - `garbage`: 200 and no JSON, nothing was done
 * - `two-pieces`: it was done, the answer comes in two segments
 * - `status`: this answer, nothing was done
 */
export type FaultKind =
  | "close-before"
  | "close-after-taking"
  | "close-half-answer"
  | "hang"
  | "hang-after-taking"
  | "garbage"
  | "two-pieces"
  | Answer;

export interface Fault {
  /** A method as `chat.postMessage`, `upload` or `download`, or a predicate. Absent: every request. */
  readonly when?: string | ((method: string) => boolean);
  readonly how: FaultKind;
  /** Default 1. */
  readonly times?: number;
}

/** Faults in the order in which they were set; each is used up. */
export class Faults {
  readonly #list: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#list.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#list.length = 0;
  }

  take(method: string): FaultKind | undefined {
    const found = this.#list.find(({ fault: { when }, left }) => {
      if (left === 0) return false;
      return typeof when === "function" ? when(method) : when === undefined || when === method;
    });
    if (found !== undefined) found.left--;
    return found?.fault.how;
  }
}

/** Answers as the fault wants it. @param act does what was asked for */
export function misbehave(how: FaultKind, response: ServerResponse, act: () => Answer): void {
  if (typeof how === "object") return send(response, how);
  if (how === "hang") return;
  if (how === "close-before") return void response.destroy();
  if (how === "garbage") return send(response, { status: 200, body: "<html><title>502 Bad Gateway</title>" });
  const answer = act();
  if (how === "hang-after-taking") return;
  if (how === "close-after-taking") return void response.destroy();
  const bytes = bytesOfAnswer(answer);
  const half = Math.ceil(bytes.length / 2);
  writeHead(response, answer, bytes.length);
  response.write(bytes.subarray(0, half), () => {
    if (how === "two-pieces") setImmediate(() => response.end(bytes.subarray(half)));
    else response.destroy();
  });
}
