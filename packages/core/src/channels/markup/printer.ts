/** What the way out needs of a platform's dialect: the rest of a reply in pieces, and one of them as it was. */
import type { ChannelCan } from "../../contract/channel.ts";
import { renderPieces, renderRange, type RenderedPiece, sizeOf } from "./render.ts";

interface Place {
  readonly from: number;
  readonly to: number;
}

export function createPrinter({ dialect, max, unit = "utf16", after = "rendered" }: ChannelCan["text"]) {
  const options = { dialect, max, unit, after } as const;
  return {
    cut: (text: string, { from, first }: { readonly from: number; readonly first: number }): Iterable<RenderedPiece> =>
      renderPieces(text, { ...options, from, first }),
    print: (text: string, range: Place, room: number): RenderedPiece | undefined => {
      const piece = renderRange(text, range, options);
      return sizeOf(piece, options) <= room ? piece : undefined;
    },
    /** @param before a line of its own. */
    join: (before: string, piece: string): string => {
      const [line] = renderPieces(before, options);
      return `${line?.text ?? ""}${dialect === "html" ? "" : "\n"}${piece}`;
    },
  };
}
