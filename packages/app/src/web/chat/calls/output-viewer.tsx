/** A long output, whole: only the lines on screen are nodes; search, copy, download. */
import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { number, t as shared } from "../../texts/index.ts";
import { t } from "../../texts/work.ts";
import { saveBlob } from "../../lib/save-blob.ts";
import { visible } from "../../markdown/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

const LINE_PX = 20;
const AROUND = 20;
const HEIGHT_PX = 400;
/** Longer lines are broken, so that every row has the same height. */
const LINE_CHARS = 2_000;

export function OutputViewer({ text }: { text: string }): VNode {
  const lines = useMemo(() => text.split("\n").flatMap(broken), [text]);
  const [top, setTop] = useState(0);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const hits = useMemo(() => {
    const wanted = query.toLowerCase();
    return wanted === "" ? [] : lines.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [index] : []));
  }, [lines, query]);
  const go = (next: number): void => {
    const index = hits[(next + hits.length) % Math.max(1, hits.length)];
    if (index === undefined) return;
    setAt((next + hits.length) % hits.length);
    if (scroller.current) scroller.current.scrollTop = Math.max(0, index * LINE_PX - HEIGHT_PX / 2);
  };
  const first = Math.max(0, Math.floor(top / LINE_PX) - AROUND);
  const last = Math.min(lines.length, Math.ceil((top + HEIGHT_PX) / LINE_PX) + AROUND);
  return (
    <div class="viewer">
      <div class="row">
        <input
          class="input grow"
          type="search"
          aria-label={shared("common.search")}
          placeholder={shared("common.search")}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            go(event.shiftKey ? at - 1 : at + 1);
          }}
        />
        {query !== "" && (
          <span class="muted small" role="status">
            {hits.length === 0 ? t("find.none") : t("find.count", { at: at + 1, n: hits.length })}
          </span>
        )}
        <CopyButton text={() => text} />
        <Button
          kind="quiet"
          size="small"
          icon="download"
          label={t("attach.download", { name: "output.txt" })}
          onClick={() => saveBlob(new Blob([text], { type: "text/plain" }), "output.txt")}
        />
      </div>
      <div
        class="viewer-lines"
        ref={scroller}
        role="region"
        aria-label={t("call.output")}
        tabIndex={0}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="viewer-space" style={{ height: `${String(lines.length * LINE_PX)}px` }}>
          {lines.slice(first, last).map((line, index) => (
            <div
              key={first + index}
              class={hits[at] === first + index ? "viewer-line found" : "viewer-line"}
              style={{ transform: `translateY(${String((first + index) * LINE_PX)}px)` }}
            >
              <span class="muted">{number(first + index + 1)}</span>
              {visible(line)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function broken(line: string): readonly string[] {
  if (line.length <= LINE_CHARS) return [line];
  return Array.from({ length: Math.ceil(line.length / LINE_CHARS) }, (_, index) =>
    line.slice(index * LINE_CHARS, (index + 1) * LINE_CHARS),
  );
}
