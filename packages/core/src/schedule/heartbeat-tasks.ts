/** What HEARTBEAT.md asks for: counted here, so that an empty list costs no model call. */

export function hasActiveTask(text: string): boolean {
  return activeTasks(text) > 0;
}

/** Blank lines, headings, rules, comments, checked boxes with what belongs to them, and boxes without a text are nothing. */
export function activeTasks(text: string): number {
  let open = 0;
  let checked: number | undefined;
  for (const line of text.replace(/<!--[\s\S]*?(?:-->|$)/g, "").split(/\r?\n/)) {
    if (line.trim() === "" || /^\s*(?:#{1,6}(?:\s|$)|(?:[-*_=]\s*){3,}$)/.test(line)) continue;
    const indent = line.length - line.trimStart().length;
    const box = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](.*)$/.exec(line);
    if (box !== null) {
      checked = box[1] === " " ? undefined : indent;
      if (checked === undefined && box[2]?.trim() !== "") open += 1;
      continue;
    }
    if (checked !== undefined && indent > checked) continue;
    open += 1;
  }
  return open;
}
