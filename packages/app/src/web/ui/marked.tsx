/** A text with the found words marked. */

interface Props {
  readonly text: string;
  /** Start and end of each. */
  readonly ranges: readonly (readonly [number, number])[];
}

export function Marked({ text, ranges }: Props) {
  const parts = [];
  let at = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (from < at) continue;
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
