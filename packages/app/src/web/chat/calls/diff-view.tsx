/** What an edit changes, line by line; the differ is loaded with the first one. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { number } from "../../texts/index.ts";
import { visible } from "../../markdown/visible-text.tsx";

interface Line {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

const MAX_LINES = 400;

export function Diff({ path, before, after }: { path: string; before: string; after: string }): VNode {
  const [lines, setLines] = useState<readonly Line[]>();
  useEffect(() => {
    let gone = false;
    void import("diff").then(({ diffLines }) => {
      if (gone) return;
      setLines(
        diffLines(before, after).flatMap(({ value, added, removed }) =>
          value
            .replace(/\n$/, "")
            .split("\n")
            .map((text): Line => ({ kind: added ? "added" : removed ? "removed" : "same", text })),
        ),
      );
    });
    return () => {
      gone = true;
    };
  }, [before, after]);
  const shown = (lines ?? after.split("\n").map((text): Line => ({ kind: "added", text }))).filter(
    ({ kind, text }) => kind !== "removed" || before !== "" || text !== "",
  );
  const count = (kind: Line["kind"]): string => number(shown.filter((line) => line.kind === kind).length);
  return (
    <div class="diff">
      <div class="diff-head">
        <code class="grow truncate">{visible(path)}</code>
        <span class="ok-ink">+{count("added")}</span>
        {before !== "" && <span class="danger-ink">−{count("removed")}</span>}
      </div>
      <div class="diff-body" role="region" aria-label={path} tabIndex={0}>
        {shown.slice(0, MAX_LINES).map((line, index) => (
          <div key={index} class={line.kind}>
            <span aria-hidden="true">{line.kind === "added" ? "+" : line.kind === "removed" ? "−" : " "}</span>
            {visible(line.text)}
          </div>
        ))}
        {shown.length > MAX_LINES && <div class="muted">… {number(shown.length - MAX_LINES)}</div>}
      </div>
    </div>
  );
}
