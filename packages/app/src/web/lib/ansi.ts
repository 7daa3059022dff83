/** Terminal output → runs of text with classes. Colors and weight only; everything else of the sequences is dropped. */
export interface AnsiRun {
  readonly text: string;
  readonly style: string;
}

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// CSI sequences, OSC up to BEL or ST, and two-character escapes.
const SEQUENCE = /\u001B\[([\d;:]*)([A-Za-z])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-Z\\-_]/g;

export function ansiRuns(text: string): readonly AnsiRun[] {
  const runs: AnsiRun[] = [];
  let style: ReadonlySet<string> = new Set();
  let from = 0;
  const push = (part: string): void => {
    if (part !== "") runs.push({ text: part, style: [...style].join(" ") });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    push(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") style = styled(style, (match[1] ?? "").split(/[;:]/).map(Number));
  }
  push(text.slice(from));
  return runs;
}

function styled(before: ReadonlySet<string>, codes: readonly number[]): ReadonlySet<string> {
  let next = new Set(before);
  const color = (name: string | undefined): void => {
    next = new Set([...next].filter((one) => !one.startsWith("fg-")));
    if (name !== undefined) next.add(`fg-${name}`);
  };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) next = new Set();
    else if (code === 1) next.add("bold");
    else if (code === 2) next.add("dim");
    else if (code === 22) for (const name of ["bold", "dim"]) next.delete(name);
    else if (code >= 30 && code <= 37) color(COLORS[code - 30]);
    else if (code >= 90 && code <= 97) color(COLORS[code - 90]);
    else if (code === 39) color(undefined);
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4; // 256 and true colors: not told apart
  }
  return next;
}
