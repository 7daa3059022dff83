// Which changes the types or the linter refuse: what does not compile needs no test.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { collect, root } from "../toolchain.mjs";

/**
 * Errors in its own file speak of a change. Those elsewhere show once the loud ones are gone: they are of a file that is imported
 * there, and whichever of those has a change may be the one. These are put off instead of being looked at one by one.
 * @param sites at most one per file. @returns those that compile, and those that nothing is known of.
 */
export async function thatCompile(folder, sites) {
  const putOff = [];
  let left = sites;
  for (;;) {
    const failing = await filesWithErrors(folder, left);
    if (failing.size === 0) return { compiling: left, putOff };
    const kept = left.filter(({ file }) => !failing.has(file));
    const imported = new Set([...failing].flatMap((file) => importsOf(folder, file)));
    const suspects = kept.length < left.length ? [] : left.filter(({ file }) => imported.has(file));
    if (kept.length < left.length) left = kept;
    else if (suspects.length > 0) {
      putOff.push(...suspects);
      left = left.filter((site) => !suspects.includes(site));
    } else if (left.length === 1) return { compiling: [], putOff };
    else {
      const half = Math.ceil(left.length / 2);
      const both = [await thatCompile(folder, left.slice(0, half)), await thatCompile(folder, left.slice(half))];
      return {
        compiling: both.flatMap(({ compiling }) => compiling),
        putOff: [...putOff, ...both.flatMap((each) => each.putOff)],
      };
    }
  }
}

/** Files of the copy that one imports by their place. */
function importsOf(folder, file) {
  const source = readFileSync(join(folder, file), "utf8");
  return [...source.matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)].map(([, named, loaded]) =>
    join(dirname(file), named ?? loaded),
  );
}

async function filesWithErrors(folder, sites) {
  for (const { file, start, end, changed } of sites) {
    const source = readFileSync(join(root, file), "utf8");
    writeFileSync(join(folder, file), source.slice(0, start) + changed + source.slice(end));
  }
  try {
    const bin = join(root, "node_modules/.bin");
    const types = await collect(join(bin, "tsc"), ["-p", ".", "--pretty", "false"], { cwd: folder });
    const wrong = new Set([...types.output.matchAll(/^([^\s(]+\.ts)\(\d+,\d+\): error/gm)].map(([, file]) => file));
    if (wrong.size > 0 || sites.length === 0) return wrong;
    // Only the rule that a test cannot stand in for: a promise that nobody waits for.
    const files = sites.map(({ file }) => file);
    const rules = ["-A", "all", "-D", "typescript/no-floating-promises", "-D", "typescript/no-misused-promises"];
    const lint = await collect(join(bin, "oxlint"), ["--type-aware", "--format=unix", ...rules, ...files], {
      cwd: folder,
    });
    return new Set(files.filter((file) => lint.output.includes(`${file}:`)));
  } finally {
    for (const { file } of sites) writeFileSync(join(folder, file), readFileSync(join(root, file)));
  }
}
