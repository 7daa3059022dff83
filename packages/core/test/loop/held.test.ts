// What is held back for a request under way is given back where it was held, whoever reads along by then.
import { expect, test } from "vitest";
import type { SessionId } from "../../src/contract/base.ts";
import { createHeld, placesOf } from "../../src/loop/spending/held.ts";
import { emptyState } from "../../src/session/reduce.ts";

test("PE7 a chat that a guest does not read any more while a request is under way: nothing stays held back", () => {
  const held = createHeld();
  const mine = emptyState("s" as SessionId);
  const guests = { ...mine, audience: "guest" as const };
  held.hold(guests, 500, placesOf(guests, "turn"));
  expect([held.all, held.among("guests")]).toEqual([500, 500]);
  held.hold(mine, 500, placesOf(mine, "turn"));
  expect([held.all, held.among("guests")]).toEqual([1000, 500]);
  expect(held.release(mine, 500, placesOf(mine, "turn"))).toEqual({ guest: expect.any(String) as string });
  expect([held.all, held.among("guests")]).toEqual([500, 0]);
  held.release(mine, 500, placesOf(mine, "turn"));
  expect([held.all, held.among("guests")]).toEqual([0, 0]);
});
