// The rules of scripts/lib/graph/layers.mjs over a graph of imports.
import { cycles, reachableFrom } from "./read.mjs";

/** @returns {{ from: string, to: string, rule: { name: string, comment: string } }[]} */
export function violations(graph, rules) {
  const groups = cycles(graph);
  return rules.flatMap((rule) => broken(graph, rule, groups).map((edge) => ({ ...edge, rule })));
}

function broken(graph, { from, to }, groups) {
  const found = [];
  for (const [file, imports] of graph) {
    const captured = matches(from, file);
    if (captured === undefined) continue;
    const direct = to.running ? imports.filter(({ runs }) => runs) : imports;
    const reached = to.reachable
      ? [...reachableFrom(graph, file, to.running)].map((target) => ({ to: target }))
      : direct;
    for (const { to: target, kind } of reached) {
      const isMeant =
        (!to.circular || groups.some((group) => group.has(file) && group.has(target))) &&
        (!to.couldNotResolve || kind === "unresolved") &&
        (to.kinds === undefined || to.kinds.includes(kind)) &&
        matches(to, target, captured) !== undefined;
      if (isMeant) found.push({ from: file, to: target });
    }
  }
  return found;
}

/** @returns What the groups of `path` captured, when `path` matches and `pathNot` does not; `$1` is the first of `captured`. */
function matches({ path, pathNot }, text, captured = []) {
  const expressions = (patterns) =>
    [patterns ?? []].flat().map((pattern) => expression(pattern.replaceAll(/\$(\d)/g, (_, at) => captured[at] ?? "")));
  const found =
    path === undefined
      ? []
      : expressions(path)
          .map((one) => one.exec(text))
          .find((one) => one !== null);
  return found === undefined || expressions(pathNot).some((one) => one.test(text)) ? undefined : found;
}

const compiled = new Map();
function expression(pattern) {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(pattern);
  compiled.set(pattern, made);
  return made;
}
