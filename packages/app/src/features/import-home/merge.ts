// Memory of two systems in one file: what is there stays as it is, what is new comes behind it. A second time adds nothing.

/** Line by line: a fact that is there in any form of list is not said twice. */
export function mergeFacts(now: string, added: string): string {
  if (now.trim() === "") return ended(added);
  const bare = (line: string): string => line.replace(/^\s*[-*]\s+/, "").trim();
  const known = new Set(now.split("\n").map(bare));
  const missing = added.split("\n").filter((line) => line.trim() !== "" && !known.has(bare(line)));
  return missing.length === 0 ? now : `${now.trimEnd()}\n\n${missing.join("\n")}\n`;
}

/** Entry by entry: a blank line ends one. */
export function mergeHistory(now: string, added: string): string {
  const known = new Set(entriesOf(now));
  const missing = entriesOf(added).filter((entry) => !known.has(entry));
  if (missing.length === 0) return now;
  return `${[...(now.trim() === "" ? [] : [now.trimEnd()]), ...missing].join("\n\n")}\n`;
}

function entriesOf(text: string): readonly string[] {
  const entries = text.split(/\n\s*\n/).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ""))];
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
