// What each outcome of the stream corpus means for a whole turn: what the person reads, what ran, what was asked again.
import { expect } from "vitest";
import { says, callsTool } from "../../src/testing.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import { ofType } from "./agent.ts";
import type { Attacked, Played } from "./attacked-agent.ts";
import type { ScriptedResponse, StreamCase } from "./stream-server.ts";
import { answerOn } from "./wire-answers.ts";

/** What the good answer behind an attack says. */
export const GOOD = "All is well.";

type Play = "once" | "always";
interface Outcome {
  /** `once`: a good answer comes after the attack. `always`: the attack is all that ever comes. */
  readonly play: Play;
  readonly holds: (played: Played, item: StreamCase) => void;
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  ok: { play: "once", holds: answered },
  ok_or_error: {
    play: "always",
    holds: (played) => (played.outcome.reason === "done" ? said(played) : failed(played)),
  },
  ok_or_continued: { play: "once", holds: (played) => expect(played.outcome.reason).toBe("done") },
  partial_marked: { play: "once", holds: partial },
  partial_marked_or_retry: {
    play: "once",
    holds: (played, item) => (played.requests.length === 1 ? partial(played, item) : recovered(played)),
  },
  error_to_user: { play: "always", holds: failed },
  error_or_retry: { play: "always", holds: failed },
  retried: { play: "always", holds: askedAgain },
  retried_then_error: { play: "always", holds: askedAgain },
  compacted_then_retried_or_error: {
    play: "once",
    holds: (played) => {
      if (played.outcome.reason !== "done") return failed(played);
      recovered(played);
      expect(ofType(played.records, "history.compacted").length).toBeGreaterThan(0);
    },
  },
  tool_call: { play: "once", holds: (played, { expect: { tool, args } }) => ran(played, [[tool, args]]) },
  tool_calls: { play: "once", holds: (played, { expect: { calls } }) => ran(played, calls) },
  tool_call_or_retry: {
    play: "once",
    holds: (played, item) => {
      recovered(played);
      expect(played.executed.length).toBeLessThan(2);
      expect(played.executed.every(([name]) => name === item.expect["tool"])).toBe(true);
    },
  },
  tool_error_to_model: {
    play: "once",
    holds: (played) => {
      recovered(played);
      expect(played.executed).toEqual([]);
      expect(played.requests.length).toBe(2);
      expect(complaints(played)).toHaveLength(1);
    },
  },
  tool_call_or_tool_error: {
    play: "once",
    holds: (played) => {
      recovered(played);
      expect(played.requests.length).toBe(2);
      expect(played.executed.length + complaints(played).length).toBeGreaterThan(0);
      expect(played.executed.length).toBeLessThan(2);
    },
  },
  calls_limited: {
    play: "once",
    holds: (played) => {
      recovered(played);
      expect(played.executed.length).toBeGreaterThan(0);
      expect(played.requests[1]?.texts("user").at(-1)).toMatch(/later ones were not run/);
    },
  },
  cut_at_limit: { play: "once", holds: failed },
  text_or_tool_call: {
    play: "once",
    holds: (played) => {
      said(played);
      expect(played.executed).toEqual([]);
      expect(played.shown).toContain("<tool_call>");
    },
  },
};

/** Plays a case as one turn. */
export async function playCase(world: Attacked, api: WireKind, item: StreamCase): Promise<Played> {
  const good = answerOn(api, says(GOOD), 90);
  if (item.then === undefined) {
    const { play } = outcomeOf(item);
    return world.turn("go", item.response, ...(play === "once" ? [good] : []));
  }
  // An effect, then broken answers, then a good one.
  const { responses_before_good: broken, after_tool: tool, ...rest } = item.then;
  expect(rest).toEqual({ kind: "reset" });
  const call = answerOn(api, callsTool(String(tool), { path: "made.txt", content: "once" }), 80);
  const failures: readonly ScriptedResponse[] = Array.from({ length: Number(broken) }, () => item.response);
  return world.turn("go", call, ...failures, good);
}

/** @throws Error for an outcome nobody gave a meaning. */
export function outcomeOf({ expect: { outcome } }: StreamCase): Outcome {
  const found = OUTCOMES[String(outcome)];
  if (found === undefined) throw new Error(`no rule for the outcome ${String(outcome)}`);
  return found;
}

/** A turn that ended well with one reply. */
export function said(played: Played): void {
  expect(played.outcome).not.toHaveProperty("error");
  expect(played.outcome.reason).toBe("done");
  expect(played.replies).toEqual([{ kind: "reply", text: played.outcome.text }]);
}

export function recovered(played: Played): void {
  said(played);
  expect(played.outcome.text).toBe(GOOD);
}

function answered(played: Played, item: StreamCase): void {
  if (item.then !== undefined) return recovered(played);
  expect(played.requests).toHaveLength(1);
  // The provider's own words when it declines are an answer for the person; the turn is marked as refused (PR9).
  if (played.outcome.error?.code === "model.refused")
    expect(played.replies).toEqual([{ kind: "reply", text: played.outcome.text }]);
  else said(played);
}

/** What was shown stays, is told to be broken off, and is not asked for again. */
function partial(played: Played, item: StreamCase): void {
  expect(played.requests).toHaveLength(1);
  expect(played.executed).toEqual([]);
  expect(played.shown).not.toBe("");
  expect(played.outcome.reason).toBe("failed");
  expect(played.replies).toHaveLength(1);
  expect(played.outcome.text.startsWith(played.shown)).toBe(true);
  if (item.expect["why"] === "refusal") {
    expect(played.outcome.error?.code).toBe("model.refused");
    return;
  }
  expect(played.outcome.error?.code).toMatch(/^provider\./);
  expect(played.outcome.text).toContain("[the answer broke off here]");
  expect(ofType(played.records, "model.responded").map(({ message }) => message.finish)).toEqual(["cut"]);
}

/** The person reads one sentence with the code of what failed; nothing ran. */
export function failed(played: Played): void {
  expect(played.outcome.reason).toBe("failed");
  const code = played.outcome.error?.code ?? "";
  expect(code).toMatch(/^(?:provider|model)\./);
  expect(played.replies).toEqual([{ kind: "error", text: played.outcome.text }]);
  expect(played.outcome.text).toContain(`[${code}]`);
  expect(played.executed).toEqual([]);
}

function askedAgain(played: Played): void {
  failed(played);
  expect(played.requests.length).toBeGreaterThan(1);
  expect(played.requests.length).toBeLessThan(5);
}

/** Exactly these calls ran, on what the model wrote, and the model read what they gave. */
function ran(played: Played, calls: unknown): void {
  recovered(played);
  expect(played.executed).toEqual(calls);
  expect(played.requests).toHaveLength(2);
  expect(played.requests[1]?.toolResults.map(({ text }) => text)).toEqual(
    played.executed.map(([, input]) =>
      expect.stringContaining(JSON.stringify(input).includes("b.txt") ? "beta" : "alpha"),
    ),
  );
}

/** What the model was told about calls that did not run. */
function complaints(played: Played): readonly string[] {
  const results = ofType(played.records, "tool.finished").filter(({ message }) => message.status === "error");
  const notices = ofType(played.records, "notice.added").filter(({ notice }) => notice.text.includes("not run"));
  return [...results.map(({ type }) => type), ...notices.map(({ type }) => type)];
}
