/** What every part of the screen is drawn with: cleaned text, lines of two columns, rules with a title. */
import type * as piTui from "@earendil-works/pi-tui";
import type { ChatTexts } from "../texts.ts";
import { safeText } from "../safe.ts";
import type { Style } from "../style.ts";

export type PiTui = typeof piTui;
export interface Kit {
  readonly pi: PiTui;
  readonly style: Style;
  readonly texts: ChatTexts;
}
export interface Unfolded {
  readonly tools: boolean;
  readonly thinking: boolean;
}

/** Where text stands: behind a margin of one, a sign and a blank. */
export const INDENT = 3;
/** From here on there is room for more facts and a line of keys. */
export const WIDE = 100;
/** Below that the right column stands under its line. */
export const NARROW = 60;

export function wrap(text: string, width: number, { pi }: Kit): readonly string[] {
  return text.split("\n").flatMap((line) => pi.wrapTextWithAnsi(line, Math.max(1, width)));
}

export function fit(line: string, width: number, { pi }: Kit): string {
  return pi.truncateToWidth(line, Math.max(1, width), "…");
}

/** A sign at the margin, the first line beside it, the others below that. */
export function signed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => (index === 0 ? ` ${sign} ${line}` : indented(line)));
}

export function indented(line: string): string {
  return line === "" ? "" : " ".repeat(INDENT) + line;
}

/** What it is, and at the right how long or how many; the right one is never cut for the left one. */
export function columns(left: string, right: string, width: number, kit: Kit): readonly string[] {
  const { visibleWidth } = kit.pi;
  if (right === "") return [fit(left, width, kit)];
  if (width < NARROW) return [fit(left, width, kit), fit(indented(right), width, kit)];
  const room = Math.max(1, width - 1 - visibleWidth(right));
  const shown = fit(left, Math.max(1, room - 2), kit);
  return [fit(shown + " ".repeat(Math.max(1, room - visibleWidth(shown))) + right, width, kit)];
}

/** `─ title ─────`. */
export function rule(title: string, width: number, kit: Kit): string {
  const { style, pi } = kit;
  if (title === "") return style.dim("─".repeat(width));
  const head = fit(`${style.dim("─")} ${title} `, width, kit);
  return head + style.dim("─".repeat(Math.max(0, width - pi.visibleWidth(head))));
}

/** Markdown of a stranger: cleaned before, and only colors and links come out of the renderer. */
export function markdown(text: string, width: number, { pi, style }: Kit): readonly string[] {
  const lines = new pi.Markdown(safeText(text), 0, 0, style.markdown, undefined, {
    preserveOrderedListMarkers: true,
    renderLatex: false,
  }).render(Math.max(1, width));
  return lines.map((line) => onlyStyles(line).trimEnd());
}

/** Everything but SGR (color) and OSC 8 (links) is taken out: the last gate before the terminal. */
function onlyStyles(line: string): string {
  return line.replace(/\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x1f\x7f-\x9f]/g, (found) =>
    found.length > 1 ? found : "",
  );
}

/** `0.4 s`, `48 s`, `3 min 5 s`. */
export function lasted(ms: number, { texts }: Kit): string {
  const seconds = ms / 1000;
  if (seconds < 10) return texts("seconds", { count: seconds.toFixed(1) });
  if (seconds < 60) return texts("seconds", { count: Math.round(seconds) });
  return texts("minutes", { minutes: Math.floor(seconds / 60), count: Math.floor(seconds % 60) });
}

/** Whole ones, of what goes on: `14 s`. */
export function lasting(ms: number, kit: Kit): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? kit.texts("seconds", { count: seconds }) : lasted(seconds * 1000, kit);
}
