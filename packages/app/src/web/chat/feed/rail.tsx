/** At the right edge: a tick per message of yours; pointing tells its first line, a click, a drag or the arrow keys go there. */
import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../texts/chat.ts";
import { feedControl } from "./feed-control.ts";
import { isOwn } from "./feed-moves.ts";
import type { Row } from "./rows.ts";
import type { RowVirtualizer } from "./virtual-rows.ts";

const LEAST = 2;
/** More than fit are thinned: each tick then stands for the nearest of its neighbors. */
const MOST_TICKS = 48;
const SHOWN_CHARS = 80;

interface Tick {
  readonly index: number;
  readonly text: string;
}

export function Rail({ rows, virtualizer }: { rows: readonly Row[]; virtualizer: RowVirtualizer }): VNode | null {
  const ticks = useMemo(() => ticksOf(rows), [rows.length, rows[0]?.key]);
  const host = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  if (ticks.length < LEAST) return null;
  const top = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + 1)?.index ?? 0;
  const here = virtualizer.isAtEnd()
    ? ticks.length - 1
    : Math.max(
        0,
        ticks.findLastIndex(({ index }) => index <= top),
      );
  const drawn = thinned(ticks);
  const go = (at: number): void => {
    const tick = ticks[Math.max(0, Math.min(ticks.length - 1, at))];
    if (tick) feedControl.value?.show(tick.index);
  };
  const atPointer = (event: PointerEvent): number => {
    const box = host.current?.getBoundingClientRect();
    if (!box) return here;
    return Math.round(Math.max(0, Math.min(1, (event.clientY - box.top) / box.height)) * (ticks.length - 1));
  };
  const said = (at: number): string =>
    t("feed.rail.at", { n: at + 1, total: ticks.length, text: ticks[at]?.text ?? "" });
  return (
    <div
      class="rail"
      ref={host}
      role="slider"
      tabIndex={0}
      aria-label={t("feed.rail")}
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={ticks.length}
      aria-valuenow={here + 1}
      aria-valuetext={said(here)}
      onKeyDown={(event) => {
        if (event.key === "ArrowUp") go(here - 1);
        else if (event.key === "ArrowDown") go(here + 1);
        else if (event.key === "Home") go(0);
        else if (event.key === "End") go(ticks.length - 1);
        else return;
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(atPointer(event));
      }}
      onPointerMove={(event) => {
        const at = atPointer(event);
        if (at !== pointed && event.buttons === 1) go(at);
        setPointed(at);
      }}
      onPointerLeave={() => setPointed(undefined)}
    >
      {drawn.map((at) => (
        <span key={at} class={at === here ? "rail-tick here" : "rail-tick"} />
      ))}
      {pointed !== undefined && ticks[pointed] && (
        <span class="rail-tip" style={{ top: `${String((100 * pointed) / Math.max(1, ticks.length - 1))}%` }}>
          {ticks[pointed].text}
        </span>
      )}
    </div>
  );
}

function ticksOf(rows: readonly Row[]): readonly Tick[] {
  return rows.flatMap((row, index) => (isOwn(row) ? [{ index, text: firstLine(row) }] : []));
}

function firstLine(row: Row): string {
  const parts =
    row.kind === "outgoing" ? row.message.parts : row.kind === "item" && "parts" in row.item ? row.item.parts : [];
  const text = parts.map((part) => (part.type === "text" ? part.text : (part.name ?? ""))).join(" ");
  const [line = ""] = text.trim().split("\n");
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}

function thinned(ticks: readonly Tick[]): readonly number[] {
  const count = Math.min(ticks.length, MOST_TICKS);
  return Array.from({ length: count }, (_, at) => Math.round((at * (ticks.length - 1)) / Math.max(1, count - 1)));
}
