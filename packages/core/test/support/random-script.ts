// What a random history is made of: answers of every kind, messages, interruptions, limits. Plain data, so that a
// failing history can be read.
import * as fc from "fast-check";
import type { AgentSettings } from "../../src/contract/agent-options.ts";
import type { Reply } from "../../src/internal-testing.ts";
import { fails, says } from "../../src/testing.ts";
import {
  callsTools,
  cutsAfter,
  emptyAnswer,
  lengthStop,
  raw,
  refuses,
  stalls,
  thinks,
} from "../../src/internal-testing.ts";

export interface PlannedCall {
  readonly name: string;
  readonly args: string;
}
export type Planned =
  | { readonly does: "says" | "refuses" | "stops short" | "breaks off"; readonly text: string }
  | {
      readonly does: "calls";
      readonly calls: readonly PlannedCall[];
      readonly text: string;
      readonly thinking: boolean;
      readonly short: boolean;
    }
  | { readonly does: "fails"; readonly status: number; readonly body: string; readonly after: string }
  | { readonly does: "holds"; readonly until: "stop" | "timeout" }
  | { readonly does: "nothing" | "page" };
export type Interruption = "steer" | "stop" | "stop and withdraw" | "restart";
export interface History {
  readonly answers: readonly Planned[];
  readonly messages: readonly {
    /** Happens at that event of the session, counted from this message on. */
    readonly interruptions: readonly { readonly at: number; readonly does: Interruption }[];
  }[];
  /** What becomes of the calls that need a person, in order. */
  readonly approvals: readonly ("allow" | "deny" | "expire")[];
  readonly settings: Partial<AgentSettings>;
}

/** `guarded` needs an approval, `odd` throws, `flaky` throws what may pass, `big` fills the context. */
export const TOOLS = ["note", "pay", "keep", "odd", "flaky", "big", "guarded"] as const;
/** Held answers begin with this word and what ends them. */
export const HELD = "held until ";

const text = fc.constantFrom("", " ", "Fine.", "Half of an answ", "<think>", "one\n\ntwo");
const call: fc.Arbitrary<PlannedCall> = fc.record({
  name: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...TOOLS) },
    { weight: 1, arbitrary: fc.constantFrom("", "missing", "no such tool!", "Note") },
  ),
  args: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('{"n":1}', '{"n":2}', "{}") },
    { weight: 1, arbitrary: fc.constantFrom("", "[1]", '{"n": ', "null", '{"n":1,"n":2}') },
  ),
});
const planned: fc.Arbitrary<Planned> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant("calls" as const),
      calls: fc.array(call, { minLength: 1, maxLength: 4 }),
      text,
      thinking: fc.boolean(),
      short: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("says" as const), text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("fails" as const),
      status: fc.constantFrom(429, 500, 503, 400, 401, 413, 408),
      body: fc.constantFrom("", "context_length_exceeded", "insufficient_quota", "image too large"),
      after: fc.constantFrom("", "0", "7"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom("refuses" as const, "stops short" as const, "breaks off" as const),
      text,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("holds" as const), until: fc.constantFrom("stop", "timeout") }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("nothing" as const, "page" as const) }) },
);

export const history: fc.Arbitrary<History> = fc.record({
  answers: fc.array(planned, { maxLength: 12 }),
  messages: fc.array(
    fc.record({
      interruptions: fc.array(
        fc.record({
          at: fc.integer({ min: 1, max: 25 }),
          does: fc.constantFrom<Interruption[]>("steer", "steer", "stop", "stop and withdraw", "restart"),
        }),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  approvals: fc.array(fc.constantFrom<History["approvals"][number][]>("allow", "deny", "expire"), { maxLength: 3 }),
  settings: fc.record({
    maxIterations: fc.integer({ min: 1, max: 5 }),
    maxToolCalls: fc.constantFrom<AgentSettings["maxToolCalls"][]>(null, 1, 3, "maxIterations"),
    limitSummary: fc.boolean(),
    parallelTools: fc.boolean(),
    steering: fc.boolean(),
    reflection: fc.boolean(),
    requestAttempts: fc.integer({ min: 1, max: 3 }),
    memoryWindow: fc.constantFrom(4, 10, 100),
    memoryKeep: fc.constantFrom<AgentSettings["memoryKeep"][]>(0, 2, "half", "window"),
    contextWindow: fc.constantFrom(6000, 128_000),
    maxTokens: fc.constant(500),
    replyText: fc.constantFrom<AgentSettings["replyText"][]>("final", "all"),
  }),
});

export function replyOf(item: Planned): Reply {
  switch (item.does) {
    case "says":
      return says(item.text);
    case "refuses":
      return refuses(item.text);
    case "stops short":
      return lengthStop(item.text);
    case "breaks off":
      return cutsAfter(item.text);
    case "calls": {
      const answer = callsTools(item.calls, item.text === "" ? {} : { text: item.text });
      const whole = item.short ? { ...answer, finish: "length" as const } : answer;
      // Gemini hangs its signature on the first call: one without a name takes it along.
      return item.thinking && item.calls[0]?.name !== ""
        ? thinks("Let me see.", whole, { signature: `sig-${item.calls.length}` })
        : whole;
    }
    case "fails":
      return fails(
        item.status,
        { error: { message: `told to fail: ${item.body}`, code: item.body } },
        item.after === "" ? {} : { "retry-after": item.after },
      );
    case "holds":
      return stalls({ after: HELD + item.until });
    case "nothing":
      return emptyAnswer();
    case "page":
      return raw({ headers: { "content-type": "text/html" }, chunks: ["<html>Bad gateway</html>"] });
  }
}
