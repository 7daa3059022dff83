/** One row of the chat → lines for the terminal, all cleaned. */
import type * as piTui from "@earendil-works/pi-tui";
import type { ChatTexts } from "./texts.ts";
import { safeLine, safeText } from "./safe.ts";
import type { Style } from "./style.ts";
import { toolHint } from "./tool-hint.ts";
import type { CardStatus, Row } from "./rows.ts";

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

const FOLDED_LINES = 4;
const UNFOLDED_LINES = 400;

export function renderRow(item: Row, width: number, unfolded: Unfolded, kit: Kit): readonly string[] {
  const { style, texts } = kit;
  switch (item.kind) {
    case "user": {
      // What the runtime reports (a helper's result) can be long, and the answer follows it.
      if (item.name !== undefined) {
        const title = fit(style.dim(`› ${safeLine(item.name)}`), width, kit);
        return [title, ...folded(safeText(item.text), width, false, unfolded.tools, kit)];
      }
      return prefixed(wrap(style.bold(safeText(item.text)), width - 2, kit), style.accent("› "), "  ");
    }
    case "assistant":
      return [...markdown(item.text, width, kit), ...(item.cut ? [style.dim(texts("cut"))] : [])];
    case "thinking": {
      const lines = wrap(safeText(item.text.trim()), width - 2, kit);
      if (unfolded.thinking)
        return prefixed(
          lines.map((line) => style.dim(style.italic(line))),
          style.dim("· "),
          "  ",
        );
      const title = item.live ? texts("thinking") : texts("thinkingMore", { lines: lines.length });
      return [fit(style.dim(`· ${title}`), width, kit)];
    }
    case "tool":
      return toolCard(item, width, unfolded, kit);
    case "quarantined":
    case "labelled": {
      const text = texts(`${item.kind}.${item.count === 1 ? "one" : "many"}`, { count: item.count });
      return wrap(style.dim(text), width, kit);
    }
    case "note":
      if (item.tone === "answer") return markdown(item.text, width, kit);
      return wrap((item.tone === "error" ? style.bad : style.dim)(safeText(item.text)), width, kit);
  }
}

/** Markdown of a stranger: cleaned before, and only colors and links come out of the renderer. */
export function markdown(text: string, width: number, { pi, style }: Kit): readonly string[] {
  const lines = new pi.Markdown(safeText(text), 0, 0, style.markdown, undefined, {
    preserveOrderedListMarkers: true,
    renderLatex: false,
  }).render(width);
  return lines.map((line) => onlyStyles(line).trimEnd());
}

export function wrap(text: string, width: number, { pi }: Kit): readonly string[] {
  return text.split("\n").flatMap((line) => pi.wrapTextWithAnsi(line, Math.max(1, width)));
}

export function fit(line: string, width: number, { pi }: Kit): string {
  return pi.truncateToWidth(line, Math.max(1, width), "…");
}

/** Everything but SGR (color) and OSC 8 (links) is taken out: the last gate before the terminal. */
function onlyStyles(line: string): string {
  return line.replace(/\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x1f\x7f-\x9f]/g, (found) =>
    found.length > 1 ? found : "",
  );
}

function prefixed(lines: readonly string[], first: string, rest: string): readonly string[] {
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

const MARKS: Readonly<Record<CardStatus, string>> = {
  proposed: "○",
  asking: "?",
  running: "●",
  retrying: "●",
  ok: "✓",
  error: "✗",
  denied: "✗",
  interrupted: "!",
};

function toolCard(
  item: Extract<Row, { kind: "tool" }>,
  width: number,
  unfolded: Unfolded,
  kit: Kit,
): readonly string[] {
  const { style, texts } = kit;
  const paint = {
    proposed: style.dim,
    asking: style.warn,
    running: style.accent,
    retrying: style.warn,
    ok: style.good,
    error: style.bad,
    denied: style.warn,
    interrupted: style.bad,
  }[item.status];
  const words =
    item.status === "proposed" || item.status === "running" || item.status === "ok"
      ? ""
      : ` ${texts(`tool.${item.status}`)}`;
  const time =
    item.durationMs !== undefined && item.durationMs >= 1000 ? ` ${(item.durationMs / 1000).toFixed(1)} s` : "";
  const tail = paint(words) + style.dim(time);
  const room = width - 2 - kit.pi.visibleWidth(words + time);
  const head = `${paint(MARKS[item.status])} ${fit(safeLine(toolHint(item.name, item.input)), Math.max(8, room), kit)}${tail}`;
  const running = item.status === "running" || item.status === "retrying";
  const body = safeText(running ? item.progress || item.result : item.result).replace(/\n+$/, "");
  return [fit(head, width, kit), ...folded(body, width, running, unfolded.tools, kit)];
}

/** Of a running tool the last lines, of a finished one the first. */
function folded(body: string, width: number, fromEnd: boolean, open: boolean, kit: Kit): readonly string[] {
  if (body.trim() === "") return [];
  const lines = wrap(body, width - 4, kit);
  const keep = open ? UNFOLDED_LINES : FOLDED_LINES;
  const kept = fromEnd ? lines.slice(-keep) : lines.slice(0, keep);
  const bar = kit.style.dim("  │ ");
  const more = lines.length - kept.length;
  return [
    ...kept.map((line) => bar + kit.style.dim(line)),
    ...(more > 0 ? [fit(bar + kit.style.dim(kit.texts("lines", { count: more })), width, kit)] : []),
  ];
}
