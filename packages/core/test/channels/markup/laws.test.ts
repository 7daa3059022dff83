import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMarkup } from "../../../src/channels/markup/cut.ts";
import { createCounter, type Unit } from "../../../src/channels/markup/measure.ts";
import { parseMarkup } from "../../../src/channels/markup/parse.ts";
import type { Dialect } from "../../../src/contract/channel.ts";
import { renderPieces, type RenderOptions } from "../../../src/channels/markup/render.ts";
import { printPlain } from "../../../src/channels/markup/print/plain.ts";
import { printTelegramHtml } from "../../../src/channels/markup/print/telegram-html.ts";
import type { Block } from "../../../src/channels/markup/tree.ts";
import { readMrkdwn, withoutMarks } from "./mrkdwn-reader.ts";
import { markdown } from "./random-markdown.ts";
import { checkHtml, readTelegram } from "./telegram-reader.ts";
import { wordsOf } from "./words.ts";

const dialect = fc.constantFrom<Dialect>(
  "plain",
  "markdown",
  "telegram-html",
  "html",
  "xep0393",
  "mrkdwn",
  "feishu-card",
);
const unit = fc.constantFrom<Unit>("utf16", "codepoint", "grapheme", "byte");
const after = fc.constantFrom<RenderOptions["after"]>("source", "rendered", "parsed");
const max = fc.oneof(fc.integer({ min: 40, max: 120 }), fc.integer({ min: 120, max: 2_000 }));
const options = fc.record({ dialect, unit, after, max });

test("CH64 CH143 each piece of any reply fits, is well-formed, and touches the next", () => {
  fc.assert(
    fc.property(markdown, options, fc.integer({ min: 40, max: 60 }), (source, chosen, first) => {
      const count = createCounter(chosen.unit);
      let end = 0;
      let room = first;
      for (const { from, to, text, plain } of renderPieces(source, { ...chosen, first })) {
        expect(from).toBe(end);
        expect(to).toBeGreaterThan(from);
        const size = { source: 0, rendered: count(text), parsed: count(plain) }[chosen.after];
        expect(size).toBeLessThanOrEqual(room);
        expect(chosen.dialect === "telegram-html" ? readTelegram(text) : plain).toBe(plain);
        if (chosen.dialect === "html") checkHtml(text);
        const seen = chosen.dialect === "mrkdwn" ? withoutMarks(readMrkdwn(text)) : withoutMarks(plain);
        expect(seen).toBe(withoutMarks(plain));
        end = to;
        room = chosen.max;
      }
      expect(end).toBe(source.length);
    }),
    { numRuns: 150 },
  );
});

test("CH62 CH63 what a card of Feishu says, read as Markdown, is what the reply says: no sign of a text is a mark", () => {
  const whole = { dialect: "feishu-card", unit: "byte", after: "rendered", max: 1_000_000 } as const;
  const words = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
  fc.assert(
    fc.property(markdown, (source) => {
      for (const { text, plain } of renderPieces(source, whole)) {
        const again = [...renderPieces(text, whole)].map((piece) => piece.plain).join("");
        expect(words(again)).toBe(words(plain));
      }
    }),
    { numRuns: 150 },
  );
});

const sizes = fc.record({
  max: fc.integer({ min: 20, max: 600 }),
  hidesAddresses: fc.boolean(),
});
const sizeOf = (hidesAddresses: boolean) => (blocks: readonly Block[]) =>
  (hidesAddresses ? printTelegramHtml(blocks) : printPlain(blocks)).text.length;

test("CH64 what the pieces of any reply say is what the reply says, also when limit and dialect change in between", () => {
  fc.assert(
    fc.property(markdown, fc.array(sizes, { minLength: 1, maxLength: 6 }), (source, runs) => {
      let said = "";
      let from = 0;
      for (let run = 0; from < source.length; run++) {
        const { max: most, hidesAddresses } = runs[run % runs.length] ?? { max: 99, hidesAddresses: false };
        const size = sizeOf(hidesAddresses);
        let pieces = 1 + (run % 3) * 12; // some runs go on for one piece, some for more
        const before = from;
        for (const piece of cutMarkup(source, { from, max: most, size, hidesAddresses })) {
          said += wordsOf(piece.blocks);
          from = piece.to;
          pieces -= 1;
          if (pieces === 0) break;
        }
        if (from === before) from = source.length; // the rest is blank
      }
      expect(said).toBe(wordsOf(parseMarkup(source)));
    }),
    { numRuns: 60 },
  );
});
