/** Finds what somebody means by a few letters, in both languages. */

/** Higher is better; undefined does not fit. Words begin better than letters scattered. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase().trim();
  const within = text.toLowerCase();
  if (wanted === "") return 0;
  const at = within.indexOf(wanted);
  if (at === 0) return 1_000 - within.length;
  if (at > 0) return (/[\s\p{P}]/u.test(within[at - 1] ?? "") ? 800 : 600) - at;
  let from = 0;
  let score = 300;
  for (const letter of wanted.replaceAll(/\s+/g, "")) {
    const found = within.indexOf(letter, from);
    if (found === -1) return undefined;
    score -= found - from;
    from = found + 1;
  }
  return score;
}
