/** Two texts, line by line: what went and what came. */
import { useEffect, useState } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { Skeleton } from "../ui/states.tsx";

export interface Piece {
  readonly text: string;
  readonly side: "same" | "before" | "after";
}

/** Line differences; the library is loaded when the first one is shown. */
export async function differences(before: string, after: string): Promise<readonly Piece[]> {
  const { diffLines } = await import("diff");
  return diffLines(before, after).map(({ value, added, removed }) => ({
    text: value,
    side: added ? "after" : removed ? "before" : "same",
  }));
}

/** Undefined while the library loads. */
export function useDifferences(before: string, after: string): readonly Piece[] | undefined {
  const [pieces, setPieces] = useState<readonly Piece[] | undefined>(undefined);
  useEffect(() => {
    let current = true;
    const load = async (): Promise<void> => {
      const found = await differences(before, after);
      if (current) setPieces(found);
    };
    void load();
    return () => {
      current = false;
    };
  }, [before, after]);
  return pieces;
}

interface Props {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

const CONTEXT = 3;

export function Diff({ before, after, label }: Props) {
  const pieces = useDifferences(before, after);
  if (pieces === undefined) return <Skeleton lines={3} />;
  if (pieces.every(({ side }) => side === "same")) return <p class="muted">{c("same")}</p>;
  return (
    <div class="p-diff" role="region" aria-label={label} tabIndex={0}>
      {pieces.map((piece, index) => (
        <div key={index}>
          {shownLines(piece, index === 0, index === pieces.length - 1).map((line, at) => (
            <Line key={at} line={line} side={line === undefined ? "same" : piece.side} />
          ))}
        </div>
      ))}
    </div>
  );
}

function Line({ line, side }: { readonly line: string | undefined; readonly side: Piece["side"] }) {
  if (line === undefined) return <div class="p-faint">⋯</div>;
  if (side === "same") return <div> {line}</div>;
  return side === "after" ? (
    <ins aria-label={`${c("added")}: ${line}`}>+{line}</ins>
  ) : (
    <del aria-label={`${c("removed")}: ${line}`}>−{line}</del>
  );
}

/** Long equal stretches are folded; undefined stands for the fold. */
function shownLines({ text, side }: Piece, first: boolean, last: boolean): readonly (string | undefined)[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (side !== "same" || lines.length <= 2 * CONTEXT + 1) return lines;
  return [...(first ? [] : lines.slice(0, CONTEXT)), undefined, ...(last ? [] : lines.slice(-CONTEXT))];
}
