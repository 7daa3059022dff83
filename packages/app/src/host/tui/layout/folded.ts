/** Long text below a card: its first lines, or its last ones while it grows. */
import { fit, wrap, type Kit } from "./kit.ts";

const FOLDED_LINES = 4;
const UNFOLDED_LINES = 400;

interface Folding {
  /** Of a running tool the last lines, of a finished one the first. */
  readonly fromEnd: boolean;
  readonly open: boolean;
}

/** @param paint Each line. Default: dim. */
export function folded(
  body: string,
  width: number,
  { fromEnd, open }: Folding,
  kit: Kit,
  paint: (line: string) => string = kit.style.dim,
): readonly string[] {
  if (body.trim() === "") return [];
  const lines = wrap(body, width - 5, kit);
  const keep = open ? UNFOLDED_LINES : FOLDED_LINES;
  const kept = fromEnd ? lines.slice(-keep) : lines.slice(0, keep);
  const bar = kit.style.dim(" │  ");
  const more = lines.length - kept.length;
  return [
    ...kept.map((line) => bar + paint(line)),
    ...(more > 0 ? [fit(bar + kit.style.dim(kit.texts("lines", { count: more })), width, kit)] : []),
  ];
}
