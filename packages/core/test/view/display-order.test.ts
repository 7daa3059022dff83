import type { Item } from "../../src/view/types.ts";
import { expect, test } from "vitest";
import { inDisplayOrder } from "../../src/view/display-order.ts";

function user(id: string, more: Partial<Extract<Item, { kind: "user" }>>): Item {
  const from = { id: "me", kind: "person" } as const;
  const origin = { channel: "web", chat: "c" };
  return {
    id,
    at: 0,
    kind: "user",
    messageId: id,
    key: id,
    from,
    origin,
    parts: [],
    state: "placed",
    mode: "steer",
    ...more,
  };
}
function answer(id: string): Item {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { id, at: 0, kind: "assistant", model: { provider: "p", model: "m" }, parts: [], finish: "stop", usage };
}

test("a steered message stands where the model saw it, a waiting one at the end", () => {
  const items = [
    user("2.0", { placedAt: 3 as never }),
    user("5.0", { placedAt: 9 as never }),
    user("6.0", { state: "pending" }),
    answer("7.0"),
    answer("10.0"),
  ];
  expect(inDisplayOrder(items).map(({ id }) => id)).toEqual(["2.0", "7.0", "5.0", "10.0", "6.0"]);
});

test("without such messages the order is that of the journal", () => {
  const items = [user("2.0", {}), answer("4.0")];
  expect(inDisplayOrder(items)).toBe(items);
});
