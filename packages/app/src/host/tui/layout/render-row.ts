/** One row of the chat → lines for the terminal, all cleaned. */
import { safeLine, safeText } from "../safe.ts";
import type { Row } from "../rows.ts";
import { stepsLine, toolCard } from "./cards.ts";
import { folded } from "./folded.ts";
import type { Steps } from "./steps.ts";
import { columns, fit, indented, INDENT, markdown, signed, wrap, type Kit, type Unfolded } from "./kit.ts";

/** @param now For what goes on. */
export function renderRow(item: Row | Steps, width: number, unfolded: Unfolded, kit: Kit, now = 0): readonly string[] {
  const { style, texts } = kit;
  const room = width - INDENT - 1;
  switch (item.kind) {
    case "user": {
      // What the runtime reports (a helper's result) can be long, and the answer follows it.
      if (item.name !== undefined) {
        const title = fit(style.dim(` › ${safeLine(item.name)}`), width, kit);
        return [title, ...folded(safeText(item.text), width, { fromEnd: false, open: unfolded.tools }, kit)];
      }
      return signed(style.accent("›"), wrap(safeText(item.text), room, kit));
    }
    case "assistant":
      return [...markdown(item.text, room, kit), ...(item.cut ? [style.dim(texts("cut"))] : [])].map(indented);
    case "thinking": {
      const lines = wrap(safeText(item.text.trim()), room, kit);
      if (unfolded.thinking)
        return signed(
          style.dim("✦"),
          lines.map((line) => style.dim(style.italic(line))),
        );
      if (item.live) return [fit(style.dim(` ✦ ${texts("thinking")}`), width, kit)];
      const right = texts("thinkingMore");
      return columns(style.dim(` ✦ ${texts("thought", { lines: lines.length })}`), style.dim(right), width, kit);
    }
    case "tool":
      return toolCard(item, width, unfolded, kit, now);
    case "steps":
      return stepsLine(item, width, kit);
    case "quarantined":
    case "labelled": {
      const text = texts(`${item.kind}.${item.count === 1 ? "one" : "many"}`, { count: item.count });
      return wrap(style.dim(text), room, kit).map(indented);
    }
    case "note":
      if (item.tone === "answer") return markdown(item.text, room, kit).map(indented);
      if (item.tone === "error")
        return signed(
          style.bad("✗"),
          wrap(safeText(item.text), room, kit).map((line) => style.bad(line)),
        );
      return wrap(style.dim(safeText(item.text)), room, kit).map(indented);
  }
}
