import { expect, test } from "vitest";
import { createPrinter } from "../../../src/channels/markup/printer.ts";
import { emptyState, reduce } from "../../../src/session/reduce.ts";
import type { CallId, SessionId } from "../../../src/contract/base.ts";
import type { JournalRecord } from "../../../src/contract/record.ts";

function plain(source: string): string {
  const { cut } = createPrinter({ dialect: "plain", max: 100_000 });
  return [...cut(source, { from: 0, first: 100_000 })].map((piece) => piece.plain).join("\n");
}

test("CH62 parse/MAX_NESTING: quotes in quotes are quotes, up to a hundred of them, and no word is lost in more", () => {
  const nested = (depth: number): string => `${"> ".repeat(depth)}word`;
  expect(plain(nested(40))).toContain(`${"> ".repeat(40)}word`);
  expect(plain(nested(400))).toContain("word");
});

test("CH63 table-text/MAX_WIDTH: one long cell does not push the others out of sight: columns are at most 32 wide", () => {
  const { cut } = createPrinter({ dialect: "telegram-html", max: 100_000 });
  const width = (cell: number): number => {
    const table = `| a | b |\n| --- | --- |\n| ${"x".repeat(cell)} | y |\n| z | w |`;
    const [piece] = cut(table, { from: 0, first: 100_000 });
    return (
      (piece?.plain ?? "")
        .split("\n")
        .find((line) => line.startsWith("z"))
        ?.indexOf("|") ?? 0
    );
  };
  expect([width(10), width(32), width(33), width(500)]).toEqual([11, 33, 33, 33]);
});

test("CH70 session/reduce-asked/MAX_ASKED: the last twenty questions with buttons are known, and no more", () => {
  let state = emptyState("session-1" as SessionId); // what a session would mint
  for (let n = 1; n <= 21; n++) {
    const record: JournalRecord = {
      type: "reply.queued",
      reply: `r${n}`,
      to: { channel: "test", chat: "1" },
      kind: "approval",
      parts: [{ type: "text", text: "may I?" }],
      question: { call: `c${n}` as CallId, hash: `h${n}`, expiresAt: 1, actions: [] }, // of a call
    };
    state = reduce(state, record, n);
  }
  expect(state.asked?.map(({ reply }) => reply)).toEqual(Array.from({ length: 20 }, (_, index) => `r${index + 2}`));
});
