import { expect, test } from "vitest";
import { check, seal, START } from "../../src/audit/chain.ts";
import { sha256 } from "../../src/machine/system/hash.ts";

test("R264 a line of another log under the same key fits no place in this one", () => {
  const crypto = { hash: sha256, mac: (text: string) => sha256(`key ${text}`) };
  const entry = (name: string): Parameters<typeof seal>[0] => ({ name, at: 7 }) as never; // what is sealed does not matter
  const [ours, theirs] = [seal(entry("a"), START, crypto), seal(entry("b"), START, crypto)];
  const next = seal(entry("c"), theirs.head, crypto);
  expect(check(next.line, theirs.head, crypto)).toEqual({ head: next.head, signed: true, at: 7 });
  expect(check(next.line, ours.head, crypto)).toEqual({ flaw: "edited", n: 2 });
});
