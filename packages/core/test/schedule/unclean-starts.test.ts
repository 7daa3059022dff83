import { describe, expect, test } from "vitest";
import { afterUncleanStart, NO_STARTS } from "../../src/schedule/unclean-starts.ts";

const MINUTE = 60_000;

function after(...times: readonly number[]): ReturnType<typeof afterUncleanStart> {
  return times.reduce((notes, at) => afterUncleanStart(notes, at), NO_STARTS);
}

describe("LP27 unclean starts", () => {
  test("two are nothing, the third within five minutes holds what is scheduled", () => {
    expect(after(0, MINUTE).heldSince).toBeUndefined();
    expect(after(0, MINUTE, 5 * MINUTE).heldSince).toBe(5 * MINUTE);
  });
  test("three in more than five minutes hold nothing, and an old one counts no more", () => {
    const late = after(0, MINUTE, 5 * MINUTE + 1);
    expect(late).toEqual({ unclean: [MINUTE, 5 * MINUTE + 1] });
    expect(afterUncleanStart(late, 6 * MINUTE).heldSince).toBe(6 * MINUTE);
  });
  test("what is held stays held since then, whatever follows", () => {
    expect(after(0, 1, 2, 60 * MINUTE).heldSince).toBe(2);
  });
  test("what the clock left in the future counts for nothing", () => {
    expect(after(10 * MINUTE, 11 * MINUTE, 0).heldSince).toBeUndefined();
  });
  test("no more is kept than counts", () => {
    expect(after(0, 1, 2, 3, 4).unclean).toEqual([2, 3, 4]);
  });
});
