// Globs as regular expressions: `*`, `**`, `?`, `[a-z]`, `{a,b}`.

/** Anchored at both ends; `*` and `?` never match `/`. A pattern that makes no sense is taken literally. */
export function globToRegExp(glob: string): RegExp {
  try {
    return new RegExp(`^${translate(glob)}$`, "s");
  } catch {
    return new RegExp(`^${glob.replaceAll(/[$()*+.?[\\\]^{|}/]/g, "\\$&")}$`);
  }
}

function translate(glob: string): string {
  let source = "";
  let depth = 0;
  for (let index = 0; index < glob.length; index += 1) {
    const character = glob.charAt(index);
    const rest = glob.slice(index);
    const list = /^\[[!^]?\]?[^\]]*\]/.exec(rest)?.[0];
    if (rest.startsWith("**/")) [source, index] = [`${source}(?:[^/]+/)*`, index + 2];
    else if (rest.startsWith("**")) [source, index] = [`${source}.*`, index + 1];
    else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (list !== undefined) [source, index] = [source + characterList(list), index + list.length - 1];
    else if (character === "{" && rest.includes("}")) [source, depth] = [`${source}(?:`, depth + 1];
    else if (character === "}" && depth > 0) [source, depth] = [`${source})`, depth - 1];
    else if (character === "," && depth > 0) source += "|";
    else if (character === "\\" && index + 1 < glob.length)
      [source, index] = [source + escape(glob.charAt(index + 1)), index + 1];
    else source += escape(character);
  }
  return source;
}

function characterList(list: string): string {
  const isNegated = /^\[[!^]/.test(list);
  const members = list.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\\][^]/g, "\\$&");
  return isNegated ? `[^/${members}]` : `[${members}]`;
}

function escape(character: string): string {
  return character.replace(/[$()*+.?[\\\]^{|}/]/, "\\$&");
}
