// The prompt cache property: within one conversation each request starts with all of the one before.

import type { FullPart, WirePart, WireRequest } from "./wire.ts";

interface Head {
  readonly key: string;
  readonly opening: string;
  readonly sequence: readonly string[];
  readonly messages: number;
  /** Signatures served with the answer to this request: they have to come back with its calls. */
  signatures: readonly string[];
}
export interface Conversations {
  /** Compares a request with the conversation it belongs to, and takes its place. @returns what is wrong. */
  follow(request: WireRequest): { readonly problems: readonly string[]; served(parts: readonly FullPart[]): void };
  expectNewEpoch(cause: string): void;
}

/**
 * A conversation is named by the client's cache key. Without one it is recognized by its first user message: several
 * may run beside each other, and a request with history has to continue one of them.
 */
export function createConversations(): Conversations {
  const heads: Head[] = [];
  const expected: string[] = [];
  const issued = new Set<string>();
  return {
    expectNewEpoch: (cause) => void expected.push(cause),
    follow(request) {
      const opening = openingOf(request);
      const candidates = heads.filter((head) =>
        request.cacheKey === undefined ? head.key === "" && head.opening === opening : head.key === request.cacheKey,
      );
      // Titles and summaries offer no tools and bring their own instructions: another conversation.
      const auxiliary =
        request.toolNames.length === 0 && !candidates.some((head) => sameSystem(head.sequence, request.sequence));
      const key = auxiliary ? `auxiliary ${request.cacheKey ?? ""} ${opening}` : (request.cacheKey ?? "");
      const own = auxiliary ? heads.filter((head) => head.key === key) : candidates;
      const before = own.find((head) => divergence(head.sequence, request.sequence) === undefined);
      const fresh = !request.messages.some((message) => message.role === "assistant");
      const problems: string[] = [];
      let replaced = before;
      if (before === undefined && !auxiliary && !(fresh && (request.cacheKey === undefined || own.length === 0))) {
        replaced = closest(own, request.sequence);
        // A consolidation brings a tool and instructions of its own: nothing of it can be lost here.
        const lost = request.cacheKey === undefined && heads.some((head) => head.key === "" && related(head, request));
        // What has no history on this server breaks nothing: an imported session, a fork.
        const cause = replaced !== undefined || lost ? expected.shift() : "first seen";
        if (cause === undefined)
          problems.push(
            replaced === undefined
              ? "a request with history continues no conversation this server has seen; was its first message changed?"
              : describe(replaced.sequence, request.sequence),
          );
      }
      if (replaced !== undefined) {
        heads.splice(heads.indexOf(replaced), 1);
        if (before !== undefined) problems.push(...lostSignatures(replaced, request, issued));
      }
      const head: Head = {
        key,
        opening,
        sequence: request.sequence,
        messages: request.messages.length,
        signatures: replaced !== undefined && replaced.messages === request.messages.length ? replaced.signatures : [],
      };
      heads.push(head);
      return {
        problems,
        served(parts) {
          head.signatures = parts.some((part) => part.type === "call")
            ? parts.flatMap((part) =>
                part.type === "thinking" && part.signature !== undefined ? [part.signature] : [],
              )
            : [];
          for (const signature of head.signatures) issued.add(signature);
        },
      };
    },
  };
}

/** Position of the first part of `before` that `after` does not have. */
export function divergence(before: readonly string[], after: readonly string[]): number | undefined {
  const at = before.findIndex((part, index) => part !== after[index]);
  return at < 0 ? undefined : at;
}

/** Signed thinking that was served with calls must be sent back with them (Anthropic, Gemini answer 400 otherwise). */
function lostSignatures(head: Head, request: WireRequest, issued: ReadonlySet<string>): readonly string[] {
  const answer = request.messages.slice(head.messages).find((message) => message.role === "assistant");
  if (answer === undefined || !answer.parts.some((part) => part.type === "call")) return [];
  const sent = answer.parts.flatMap(signatureOf);
  return head.signatures
    .filter((signature) => issued.has(signature) && !sent.includes(signature))
    .map((signature) => `the thinking signature '${signature.slice(0, 40)}' was not sent back with its tool calls.`);
}

function signatureOf(part: WirePart): readonly string[] {
  return (part.type === "thinking" || part.type === "call") && part.signature !== undefined ? [part.signature] : [];
}

function openingOf(request: WireRequest): string {
  return JSON.stringify(request.messages.find((message) => message.role === "user")?.parts ?? []).slice(0, 2000);
}

/** Everything between the tools and the first message that is not of the system. */
function sameSystem(before: readonly string[], after: readonly string[]): boolean {
  const system = (sequence: readonly string[]): string =>
    JSON.stringify(sequence.slice(1).filter((part) => /^(?:system|developer|instructions) /.test(part)));
  return system(before) === system(after);
}

function related({ sequence }: Head, request: WireRequest): boolean {
  return sequence[0] === request.sequence[0] || sameSystem(sequence, request.sequence);
}

function closest(heads: readonly Head[], sequence: readonly string[]): Head | undefined {
  return heads.toSorted((a, b) => (divergence(b.sequence, sequence) ?? 0) - (divergence(a.sequence, sequence) ?? 0))[0];
}

function describe(before: readonly string[], after: readonly string[]): string {
  const at = divergence(before, after) ?? 0;
  const was = before[at] ?? "";
  const is = after[at] ?? "(nothing)";
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  const from = Math.max(0, same - 40);
  return `the request does not start with the one before: part ${at} of ${before.length} differs at character ${same}. Was …${was.slice(from, same + 80)}… Is …${is.slice(from, same + 80)}…`;
}
