// What a page gets of a long result: the bound at n, and at one more.
import { expect, test } from "vitest";
import type { CallId, Seq, SessionId, TurnId } from "../../src/contract/base.ts";
import { cutCommit } from "../../src/view/cut.ts";

// With a smaller number what is too long is not cut; a larger one is the same, but slower: each text is encoded.
test("cut/MAX_BYTES_PER_UNIT: 4,096 bytes of a result are whole, one more is cut, however many bytes a character has", () => {
  const parts = (text: string): unknown => {
    const message = {
      role: "tool",
      at: 0,
      callId: "c-1" as CallId,
      name: "note",
      parts: [{ type: "text", text }],
      status: "ok",
    } as const;
    const record = { type: "tool.finished", turn: "t" as TurnId, message, durationMs: 0, attempts: 1 } as const;
    const [cut] = cutCommit("s-1" as SessionId, { seq: 1 as Seq, at: 0, records: [record] }).records;
    return cut?.type === "tool.finished" ? cut.message.parts : undefined;
  };
  for (const whole of ["x".repeat(4096), `x${"雨".repeat(1365)}`, "é".repeat(2048)])
    expect(parts(whole)).toEqual([{ type: "text", text: whole }]);
  for (const long of ["x".repeat(4097), `xx${"雨".repeat(1365)}`, `x${"é".repeat(2048)}`])
    expect(parts(long)).toMatchObject({ cut: true, bytes: 4097 });
});
