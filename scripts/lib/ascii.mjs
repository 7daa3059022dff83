// A bundler plugin: what every start reads is ASCII, text beyond it is written as \u escapes. One such character makes V8
// hold all of a file in two bytes each, and reading the start chunk that way costs a start 2 ms.

export function ascii() {
  return {
    name: "ascii",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk" || !/^(main|start|shared|dist|stream)\b/.test(chunk.fileName)) continue;
        chunk.code = asAscii(chunk.code);
      }
    },
  };
}

/** @throws when a template is raw: there an escape is text. The supervisor's script is one. */
export function asAscii(code) {
  for (const [raw] of code.matchAll(/String\.raw\s*`(?:[^`\\]|\\[^])*`/g))
    if (/[^\0-\x7f]/.test(raw)) throw new Error("A String.raw template must be ASCII: see scripts/lib/ascii.mjs.");
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
