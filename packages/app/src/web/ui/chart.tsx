/** Stacked bars by day: colors and patterns, a keyboard cursor with its values in words. The table stands below it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { theme } from "../lib/look.ts";
import { locale } from "../texts/panels.ts";

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface Props {
  readonly title: string;
  /** `2026-11-22`; other keys are shown as they are. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const HEIGHT = 200;
const COLORS = ["--accent", "--code-title", "--warn", "--code-keyword", "--ok", "--danger"];

export function Chart({ title, days, series, format }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [at, setAt] = useState(days.length - 1);
  const shown = series.filter(({ values }) => values.some((value) => value > 0));
  const data = JSON.stringify([days, shown]);
  useEffect(() => {
    let gone = false;
    const draw = async (): Promise<void> => {
      const [{ default: UPlot }] = await Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]);
      if (gone || place.current === null) return;
      const { clientWidth } = place.current;
      plot.current = new UPlot(
        options(UPlot, clientWidth, days, shown, format, setAt),
        stacked(days, shown),
        place.current,
      );
    };
    void draw();
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) plot.current?.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    if (place.current !== null) watch.observe(place.current);
    return () => {
      gone = true;
      watch.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [data, locale(), theme.value]);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(days.length - 1, to));
    setAt(next);
    plot.current?.setCursor({ left: plot.current.valToPos(next, "x"), top: 10 }, false);
  };
  const day = days[at];
  return (
    <figure class="stack">
      <div
        ref={place}
        class="p-chart"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, days.length - 1)}
        aria-valuenow={at}
        aria-valuetext={
          day === undefined
            ? ""
            : `${dayName(day)}: ${shown.map(({ name, values }) => `${name} ${format(values[at] ?? 0)}`).join(", ")}`
        }
        onKeyDown={(event) => {
          const steps: Readonly<Record<string, number>> = {
            ArrowRight: at + 1,
            ArrowLeft: at - 1,
            Home: 0,
            End: days.length - 1,
          };
          const to = steps[event.key];
          if (to === undefined) return;
          event.preventDefault();
          move(to);
        }}
      />
      <figcaption class="p-legend">
        {day !== undefined && <strong>{dayName(day)}</strong>}
        {shown.map(({ name, values }, index) => (
          <span key={name}>
            <span class="p-swatch" style={{ background: `var(${COLORS[index % COLORS.length] ?? "--accent"})` }} />
            {name} {format(values[at] ?? 0)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function options(
  UPlot: typeof uPlot,
  width: number,
  days: readonly string[],
  series: readonly Series[],
  format: (value: number) => string,
  select: (at: number) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const bars = UPlot.paths.bars?.({ size: [0.7, 48] });
  const axis = {
    stroke: color("--ink-3"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      y: { range: (_plot, _min, max) => [0, max === 0 ? 1 : max * 1.05] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: [1, 2, 5, 7, 14, 30],
        values: (_plot, ticks) => ticks.map((tick) => shortDay(days[tick])),
      },
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map(format) },
    ],
    // The highest sum is drawn first, so that each lower one stands before it.
    series: [
      {},
      ...series.toReversed().map((_one, index) => {
        const number = series.length - 1 - index;
        const ink = color(COLORS[number % COLORS.length] ?? "--accent");
        return {
          fill: (plot: uPlot) => pattern(plot.ctx, ink, number),
          stroke: ink,
          width: 1,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        };
      }),
    ],
    hooks: {
      setCursor: [
        (plot: uPlot) => {
          const { idx } = plot.cursor;
          if (typeof idx === "number") select(idx);
        },
      ],
    },
  };
}

/** x, then the sums from the highest down. */
function stacked(days: readonly string[], series: readonly Series[]): uPlot.AlignedData {
  const sums = days.map(() => 0);
  const rows = series.map(({ values }) => values.map((value, index) => (sums[index] = (sums[index] ?? 0) + value)));
  return [days.map((_day, index) => index), ...rows.toReversed()];
}

/** Of one tile of 8 pixels: from and to. */
const STRIPES: readonly (readonly (readonly [number, number, number, number])[])[] = [
  [[4, 0, 4, 8]],
  [
    [-8, 12, 8, -4],
    [0, 12, 16, -4],
  ],
  [[0, 4, 8, 4]],
];

/** The first is plain, the others are striped in turning directions: the color says it twice. */
function pattern(context: CanvasRenderingContext2D, ink: string, number: number): string | CanvasPattern {
  if (number === 0) return ink;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const brush = tile.getContext("2d");
  if (brush === null) return ink;
  brush.globalAlpha = 0.35;
  brush.fillStyle = ink;
  brush.fillRect(0, 0, 8, 8);
  brush.globalAlpha = 1;
  brush.strokeStyle = ink;
  brush.lineWidth = 2;
  brush.beginPath();
  const lines = STRIPES[number % 3] ?? [];
  for (const [x, y, toX, toY] of lines) {
    brush.moveTo(x, y);
    brush.lineTo(toX, toY);
  }
  brush.stroke();
  return context.createPattern(tile, "repeat") ?? ink;
}

function dayName(day: string): string {
  const at = Date.parse(`${day}T12:00:00Z`);
  return Number.isNaN(at)
    ? day
    : new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(at);
}

function shortDay(day: string | undefined): string {
  if (day === undefined) return "";
  const at = Date.parse(`${day}T12:00:00Z`);
  return Number.isNaN(at)
    ? day
    : new Intl.DateTimeFormat(locale(), { month: "numeric", day: "numeric", timeZone: "UTC" }).format(at);
}
