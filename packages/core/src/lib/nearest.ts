// Names that look like another name, for errors.

/** The names, most alike first; equally alike ones keep their order. */
export function byDistance(name: string, names: readonly string[]): readonly string[] {
  const wanted = plain(name);
  return names
    .map((candidate) => ({ candidate, distance: distance(wanted, plain(candidate)) }))
    .toSorted((left, right) => left.distance - right.distance)
    .map(({ candidate }) => candidate);
}

function plain(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The closest name when it is close enough to be what was meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [best] = byDistance(name, names);
  if (best === undefined) return undefined;
  return distance(plain(name), plain(best)) <= Math.max(2, Math.floor(best.length / 3)) ? best : undefined;
}
