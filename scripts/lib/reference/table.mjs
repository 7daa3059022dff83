// Parts of a generated page of Markdown.

/** A cell: one line, without what would end it. */
export function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}

export function code(text) {
  return `\`${cell(text)}\``;
}

/** @param rows of cells that are ready. */
export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}
