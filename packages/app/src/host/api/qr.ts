/** A QR code as a picture: for a page, and for a terminal. */

/** Around it, in modules: what reads it needs to see where it ends. ISO/IEC 18004 asks for four; a terminal has little room. */
const BORDER = { page: 4, terminal: 2 } as const;

async function modulesOf(data: string, border: number): Promise<readonly (readonly boolean[])[]> {
  const { encode } = await import("uqr");
  return encode(data, { ecc: "L", boostEcc: true, border }).data;
}

/** Its dark modules as the path of an SVG, `size` units on each side. */
export async function qrPath(data: string): Promise<{ readonly size: number; readonly path: string }> {
  const rows = await modulesOf(data, BORDER.page);
  const path = rows.flatMap((row, y) => runsIn(row).map(({ from, to }) => `M${from} ${y}h${to - from}v1H${from}z`));
  return { size: rows.length, path: path.join("") };
}

/** Neighbours that are dark. */
function runsIn(row: readonly boolean[]): readonly { readonly from: number; readonly to: number }[] {
  const runs: { from: number; to: number }[] = [];
  row.forEach((isDark, x) => {
    const last = runs.at(-1);
    if (isDark && last?.to === x) last.to = x + 1;
    else if (isDark) runs.push({ from: x, to: x + 1 });
  });
  return runs;
}

const COLORS = "\u001B[38;5;16;48;5;231m";
const RESET = "\u001B[0m";

/**
 * Two modules in each character, one above the other.
 * @param color Black on white whatever the terminal has; else for one with light letters on dark ground, as most have.
 */
export async function qrText(
  data: string,
  { color }: { readonly color: boolean },
): Promise<{ readonly text: string; readonly columns: number }> {
  const rows = await modulesOf(data, BORDER.terminal);
  const lines: string[] = [];
  for (let y = 0; y < rows.length; y += 2) {
    const line = (rows[y] ?? []).map((isDark, x) => {
      const isDarkBelow = rows[y + 1]?.[x] === true;
      return color ? blockOf(isDark, isDarkBelow) : blockOf(!isDark, !isDarkBelow);
    });
    lines.push(color ? `${COLORS}${line.join("")}${RESET}` : line.join(""));
  }
  return { text: `${lines.join("\n")}\n`, columns: rows.length };
}

function blockOf(above: boolean, below: boolean): string {
  if (above) return below ? "█" : "▀";
  return below ? "▄" : " ";
}
