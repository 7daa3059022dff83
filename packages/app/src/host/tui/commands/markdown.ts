/** A conversation as a Markdown file. */
import type { Row } from "../rows.ts";
import { safeText } from "../safe.ts";
import { toolHint } from "../tool-hint.ts";

export function markdownOf(rows: readonly Row[]): string {
  return rows.flatMap(partOf).join("\n\n").concat("\n");
}

function partOf(row: Row): readonly string[] {
  switch (row.kind) {
    case "user":
      return [`> ${safeText(row.text).replaceAll("\n", "\n> ")}`];
    case "assistant":
      return [safeText(row.text)];
    case "tool":
      return [`\`\`\`\n${toolHint(row.name, row.input)}\n${safeText(row.result).replaceAll("```", "'''")}\n\`\`\``];
    case "note":
      return row.tone === "answer" ? [safeText(row.text)] : [];
    case "thinking":
    case "labelled":
    case "quarantined":
      return [];
  }
}
