/** "Did you mean …?": the known name closest to a mistyped one, for keys, options, commands and models. */

/**
 * @param names Candidates, in order of preference.
 * @returns The closest name, or undefined when none is near enough to be what was meant.
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const plain = normalize(typed);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(plain.length * 0.4)) + 1;
  for (const name of names) {
    const distance = editDistance(plain, normalize(name), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** snake_case, kebab-case and camelCase of one name are the same name. */
function normalize(name: string): string {
  return name.replaceAll(/[-_\s]/g, "").toLowerCase();
}

/** Damerau–Levenshtein (neighboring swaps count once), given up on at `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current: number[] = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    [before, previous] = [previous, current];
  }
  return previous[right.length] ?? limit;
}
