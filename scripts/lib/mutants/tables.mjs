// What a run of changes found, as tables and as a list of what no test noticed.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../toolchain.mjs";

const COLUMNS = ["drawn", "types", "ran", "killed", "hung", "survived", "not reached", "unnoticed"];

/** @param all Changes; those without an outcome were not tried. */
export function tables(all) {
  const drawn = all.filter(({ outcome }) => outcome !== undefined);
  const unnoticed = drawn.filter(({ outcome }) => outcome === "survived" || outcome === "not reached");
  return [
    ...table(
      "area",
      Map.groupBy(drawn, ({ area }) => area),
      drawn,
    ),
    "",
    ...table(
      "change",
      Map.groupBy(drawn, ({ operator }) => operator),
      drawn,
    ),
    "",
    ...unnoticed.flatMap((site) => [
      `${site.outcome}  ${site.file}:${site.line} ${site.operator}${site.unrun > 0 ? `, ${site.unrun} slow test files that reach it were not run` : ""}`,
      `        ${shown(site)}`,
    ]),
    "",
  ].join("\n");
}

function table(name, groups, all) {
  const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => [key, ...figures(list)]);
  return [[name, ...COLUMNS], ["---", ...COLUMNS.map(() => "---")], ...rows, ["**all**", ...figures(all)]].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
}

function figures(list) {
  const of = (outcome) => list.filter((site) => site.outcome === outcome).length;
  const ran = list.length - of("types");
  const missed = of("survived") + of("not reached");
  const share = ran === 0 ? "" : `${Math.round((100 * missed) / ran)} %`;
  return [list.length, of("types"), ran, of("killed"), of("hung"), of("survived"), of("not reached"), share];
}

function shown({ file, start, end, changed }) {
  const before = readFileSync(join(root, file), "utf8").slice(start, Math.max(end, start + 1));
  const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 120);
  return `${short(before)}  →  ${short(changed)}`;
}
