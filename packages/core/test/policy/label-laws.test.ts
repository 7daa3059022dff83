// The label of a context, over random histories: it is the worst of what is in it, and falls only when that leaves or
// when the operator vouches for it.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallId, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Label, Marks, Message } from "../../src/contract/message.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { join, labelOf, labelOfAll, marksOf, PLAIN, readersOf } from "../../src/lib/labels.ts";
import { joinReaders } from "../../src/lib/audience.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";

const HISTORIES = 10_000;
const AT = 0;
const OPERATOR = { id: "operator", kind: "person" } as const;

const PRINCIPALS = ["owner", "eva", "bob", "household", "public", "group:webhook:trip", "guest:webhook:ann"];
const readers = fc.uniqueArray(
  fc.record({
    to: fc.uniqueArray(fc.constantFrom(...PRINCIPALS), { minLength: 1, maxLength: 3 }).map((to) => to.toSorted()),
    by: fc.constantFrom("owner", "eva", "bob"),
  }),
  { maxLength: 3, selector: (set) => JSON.stringify(set) },
);
const label: fc.Arbitrary<Label> = fc
  .tuple(
    fc.record({
      integrity: fc.constantFrom("trusted" as const, "untrusted" as const),
      confidentiality: fc.constantFrom("public" as const, "personal" as const, "sensitive" as const),
    }),
    readers,
  )
  .map(([own, sets]) => ({ ...own, ...readersOf({ readers: joinReaders(undefined, sets) }) }));
const marks: fc.Arbitrary<Marks> = label.map(marksOf);

type Step =
  | { readonly do: "message" | "result" | "notice" | "posted" | "answer"; readonly marks: Marks }
  | { readonly do: "cut"; readonly keep: number; readonly summary: boolean }
  | { readonly do: "clear" | "endorse" | "end" };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom("message", "result", "notice", "posted", "answer"), marks }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut" as const), keep: fc.nat(4), summary: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("clear", "endorse", "end") }) },
);

/** The records that a step of the runtime commits; the loop gives an answer the marks of what it was written from. */
function recordsOf(one: Step, state: SessionState, at: number): readonly JournalRecord[] {
  const id = `m-${at}`;
  switch (one.do) {
    case "message": {
      const message = { role: "user", id, at: AT, from: OPERATOR, parts: [], ...one.marks } as const;
      return [
        { type: "message.received", key: id, origin: { channel: "cli", chat: "direct" }, attended: true, message },
        { type: "messages.placed", ids: [id] },
      ];
    }
    case "result": {
      const message = {
        role: "tool",
        at: AT,
        callId: id as CallId,
        name: "tool",
        parts: [],
        status: "ok",
        ...one.marks,
      } as const;
      return [{ type: "tool.finished", turn: "t" as TurnId, message, durationMs: 0, attempts: 1 }];
    }
    case "notice":
      return [{ type: "notice.added", notice: { role: "notice", at: AT, kind: "runtime", text: "", ...one.marks } }];
    case "posted":
      return [{ type: "message.posted", reply: id, from: OPERATOR, text: "said", marks: one.marks }];
    case "answer":
      return [
        {
          type: "model.responded",
          turn: "t" as TurnId,
          message: {
            role: "assistant",
            at: AT,
            model: { provider: "p", model: "m" },
            parts: [{ type: "text", text: "said" }],
            finish: "stop",
            usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            ...marksOf(state.label),
          },
        },
      ];
    case "cut": {
      const kept = one.keep === 0 ? [] : state.messages.slice(-one.keep);
      const gone = state.messages.slice(0, state.messages.length - kept.length);
      const summary: readonly Message[] = one.summary
        ? [{ role: "notice", at: AT, kind: "summary", text: "so far", ...marksOf(labelOfAll(gone)) }]
        : [];
      return [
        {
          type: "history.compacted",
          rows: 0,
          kept: [...summary, ...kept],
          usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          fallback: false,
        },
      ];
    }
    case "clear":
      return [{ type: "session.cleared", by: OPERATOR }];
    case "endorse":
      return [{ type: "context.endorsed", by: OPERATOR }];
    case "end":
      return [];
  }
}

const isWorse = (one: Label, other: Label): boolean => join(one, other) !== other && !equal(join(one, other), other);
const equal = (one: Label, other: Label): boolean =>
  one.integrity === other.integrity &&
  one.confidentiality === other.confidentiality &&
  JSON.stringify(one.readers) === JSON.stringify(other.readers);

test("SE5 PE40 a label is the join of all that is in the context; it falls only with what leaves, or when it is vouched for", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      let state = emptyState("s-1" as SessionId);
      for (const [at, one] of steps.entries()) {
        const before = state;
        for (const record of recordsOf(one, state, at)) state = reduce(state, record, AT);
        expect(equal(state.label, labelOfAll(state.messages))).toBe(true);
        const kept = one.do !== "cut" && one.do !== "clear";
        const floor: Label = one.do === "endorse" ? { ...before.label, integrity: "trusted" } : before.label;
        expect(kept && isWorse(floor, state.label)).toBe(false);
        expect(one.do === "endorse" && state.label.integrity === "untrusted").toBe(false);
      }
    }),
    { numRuns: HISTORIES },
  );
});

test("SE5 PE40 a summary is no better than what it stands for, and an answer no better than what it was written from", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), fc.nat(3), (steps, keep) => {
      let state = emptyState("s-1" as SessionId);
      const play = (one: Step, at: number): void => {
        for (const record of recordsOf(one, state, at)) state = reduce(state, record, AT);
      };
      for (const [at, one] of steps.entries()) play(one, at);
      play({ do: "answer", marks: {} }, 100);
      const before = state.label;
      play({ do: "cut", keep, summary: true }, 101);
      expect(equal(state.label, before)).toBe(true);
      play({ do: "cut", keep: 1, summary: false }, 102);
      // The answer, or the summary with it, is what is left.
      expect(keep === 0 || equal(state.label, before)).toBe(true);
    }),
    { numRuns: HISTORIES },
  );
});

test("SE5 PE40 the join is commutative, associative and idempotent, and nothing is below what is plain", () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      expect(join(a, b)).toEqual(join(b, a));
      expect(join(a, join(b, c))).toEqual(join(join(a, b), c));
      expect(join(a, a)).toEqual(a);
      expect(join(a, PLAIN)).toEqual(a);
      expect(labelOf(marksOf(a))).toEqual(a);
    }),
  );
});
