/** A reply as the messages a platform takes: parsed once, cut as a tree, printed in its dialect. */
import type { Dialect } from "../../contract/channel.ts";
import { cutMarkup } from "./cut.ts";
import { createCounter, type Unit } from "./measure.ts";
import { printFeishuCard } from "./print/feishu-card.ts";
import { printHtml } from "./print/html.ts";
import { printMarkdown, type MarkdownOptions } from "./print/markdown.ts";
import { printMrkdwn } from "./print/mrkdwn.ts";
import { printPlain } from "./print/plain.ts";
import type { Printed } from "./print/printed.ts";
import { printTelegramHtml } from "./print/telegram-html.ts";
import { printXep0393 } from "./print/xep0393.ts";
import { parseMarkup } from "./parse.ts";
import { sliceBlocks } from "./slice.ts";
import type { Block, Range } from "./tree.ts";

export interface RenderOptions extends MarkdownOptions {
  readonly dialect: Dialect;
  /** Of one message. */
  readonly max: number;
  readonly unit: Unit;
  /** What is counted: Markdown as it is written, the text as it is sent, or what of it is seen. */
  readonly after: "source" | "rendered" | "parsed";
  /** Where the rest begins: 0, or a `to` of any earlier run over this source, whatever its options were. */
  readonly from?: number;
  /** The room for the first piece, when something is put before it. */
  readonly first?: number;
}

export interface RenderedPiece extends Printed {
  /** Offsets into the source. The next piece begins where this one ends. */
  readonly from: number;
  readonly to: number;
}

/** What lies in a range of an earlier run, as one piece: also when it is longer than `max` by now. */
export function renderRange(source: string, { from, to }: Range, options: RenderOptions): RenderedPiece {
  return { from, to, ...printerOf(options.dialect, options)(sliceBlocks(parseMarkup(source), from, to)) };
}

/** How long a platform says that a piece is. */
export function sizeOf({ text, plain }: Printed, { unit, after }: RenderOptions): number {
  return createCounter(unit)(after === "parsed" ? plain : text);
}

/** Nothing is dropped and nothing is said twice but what opens again: a fence, the header of a table. */
export function* renderPieces(source: string, options: RenderOptions): Generator<RenderedPiece> {
  const { dialect, max, unit, after, from, first } = options;
  const print = printerOf(dialect, options);
  const count = createCounter(unit);
  const size = (blocks: readonly Block[]): number => {
    if (after === "source") return count(printMarkdown(blocks, options).text);
    const { text, plain } = print(blocks);
    return count(after === "rendered" ? text : plain);
  };
  const cuts = cutMarkup(source, {
    size,
    max,
    ...(first !== undefined && { first }),
    ...(from !== undefined && { from }),
    hidesAddresses: dialect !== "plain" && dialect !== "xep0393",
  });
  for (const { blocks, ...range } of cuts) yield { ...range, ...print(blocks) };
}

function printerOf(dialect: Dialect, options: MarkdownOptions): (blocks: readonly Block[]) => Printed {
  switch (dialect) {
    case "plain":
      return printPlain;
    case "markdown":
      return (blocks) => printMarkdown(blocks, options);
    case "telegram-html":
      return printTelegramHtml;
    case "html":
      return printHtml;
    case "xep0393":
      return printXep0393;
    case "mrkdwn":
      return printMrkdwn;
    case "feishu-card":
      return printFeishuCard;
  }
}
