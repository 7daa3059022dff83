/** What the code of a plugin must not hold: looked for in its text, so that a person is told before anything of it ran. */

/** Ways to a module or to code that is not there yet, and how they look. Text in a string counts as well: a bundle has no reason to hold it. */
const MEANS: readonly (readonly [string, RegExp])[] = [
  ["import", /(?:^|[;}\n])\s*import\s*(?:[\w*{}$\s,]+\bfrom\s*)?["']([^"'\n]+)["']/],
  ["import", /(?:^|[;}\n])\s*export\s*(?:\*|\{[^}]*\})\s*(?:as\s+[\w$]+\s*)?from\s*["']([^"'\n]+)["']/],
  ["import()", /(?<![\w$.])import\s*(?:\/\*.*?\*\/\s*)?\(/],
  ["require", /(?<![\w$.])require\s*\(|\bcreateRequire\b/],
  ["process.getBuiltinModule", /\bgetBuiltinModule\b/],
  ["process.binding", /\b_linkedBinding\b|\bprocess\s*(?:\.\s*|\[\s*["'`])(?:binding|dlopen)\b/],
  ["a module of Node", /["'`]node:[a-z_/]+["'`]/],
];

/** @returns why it is refused, as `it uses import("node:fs") in line 3`; undefined: nothing was found. */
export function checkBundle(given: string): string | undefined {
  // A line that is nothing but a comment, as those that name a type.
  const code = given.replaceAll(/^[ \t]*\/\*\*(?:(?!\*\/).)*\*\/[ \t]*$/gm, "");
  for (const [what, pattern] of MEANS) {
    const found = pattern.exec(code);
    if (found === null) continue;
    const at = found.index + found[0].search(/[^\s;}]/);
    const line = code.slice(0, at).split("\n").length;
    const name = found[1] === undefined ? what : `${what} "${found[1]}"`;
    return `it uses ${name} in line ${line}`;
  }
  return undefined;
}
