import { expect, test } from "vitest";
import { boundHash } from "../../src/loop/questions/binding.ts";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import { control, type ControlDeps } from "../../src/control/control.ts";
import type { Session } from "../../src/contract/session.ts";
import { sha256 } from "../../src/machine/system/hash.ts";

test("SE1 an answer is bound to the session, the call, the tool, its arguments and what it would find", () => {
  const of = (
    session: string,
    call: string,
    name: string,
    command: string,
    scripts: Readonly<Record<string, string>>,
  ): string =>
    boundHash(
      { id: session as SessionId },
      { type: "tool-call", callId: call as CallId, name, input: { command } },
      { workspace: "/w", directory: "/w", scripts },
      sha256,
    );
  const others = [
    of("s2", "c", "exec", "sh a", { "/w/a": "1" }),
    of("s", "c2", "exec", "sh a", { "/w/a": "1" }),
    of("s", "c", "run", "sh a", { "/w/a": "1" }),
    of("s", "c", "exec", "sh b", { "/w/a": "1" }),
    of("s", "c", "exec", "sh a", { "/w/a": "2" }),
  ];
  const hash = of("s", "c", "exec", "sh a", { "/w/a": "1" });
  expect(of("s", "c", "exec", "sh a", { "/w/a": "1" })).toBe(hash);
  expect(new Set([hash, ...others]).size).toBe(6);
});

test("SE1 an answer counts in its time, for the question that was shown, and for what would run now", async () => {
  const committed: unknown[] = [];
  const item = { status: "asked", call: { callId: "c" }, hash: "h", askedAt: 1_000_000, expiresAt: 2_000_000 };
  const session = {
    state: { key: "k", turn: { id: "t", calls: [item] }, pending: [] },
    commitIf: (make: Parameters<Session["commitIf"]>[0]) => Promise.resolve(committed.push(...(make(session) ?? []))),
  } as unknown as Session; // what an answer looks at
  const answer = async (now: number, hash = "h", changed = false): Promise<boolean> => {
    const deps = { clock: { now: () => now }, wake: () => {}, changed: () => Promise.resolve(changed) };
    const action = { type: "allow", call: "c" as CallId, hash } as const;
    return (await control(session, action, { id: "ann", kind: "person" }, deps as unknown as ControlDeps)).done;
  };
  expect(await answer(2_000_000)).toBe(false); // its time is over, and the loop has not looked yet
  expect(await answer(900_000)).toBe(false); // the clock was set back
  expect(await answer(1_500_000, "another")).toBe(false);
  expect(await answer(1_500_000, "h", true)).toBe(false);
  expect(committed).toEqual([]);
  expect(await answer(1_500_000)).toBe(true);
  expect(committed).toHaveLength(1);
});
