/** Switches `always` in the frontmatter of a SKILL.md; everything else stays as it was written. */

/** @returns undefined when the text has no frontmatter. */
export function withAlways(text: string, on: boolean): string | undefined {
  const match = /^(---\r?\n)([\s\S]*?)(\r?\n---)/.exec(text);
  if (match === null) return undefined;
  const [whole, begin = "", head = "", end = ""] = match;
  const lines = head.split(/\r?\n/).filter((line) => !/^\s*always:\s*["']?(?:true|false)["']?\s*$/.test(line));
  const place = lines.findIndex((line) => /^metadata:\s*$/.test(line));
  const inside = /^(\s+)\S/.exec(lines[place + 1] ?? "")?.[1];
  if (on && place >= 0) lines.splice(place + 1, 0, `${inside ?? "  "}always: "true"`);
  // A map in one line is left alone: the seeds' own place is read too.
  else if (on && lines.some((line) => line.startsWith("metadata:"))) lines.push("always: true");
  else if (on) lines.push("metadata:", '  always: "true"');
  else if (place >= 0 && inside === undefined) lines.splice(place, 1); // nothing is left in it
  const newline = begin.slice(3);
  return `${begin}${lines.join(newline)}${end}${text.slice(whole.length)}`;
}
