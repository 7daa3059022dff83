// Who may name a file of the state directory. What is shared goes through a store (packages/core/src/contract/store.ts), so that a
// database can stand behind it: a name of one of its files elsewhere is a way around. `npm run check` reads every string of src.
const CORE = "packages/core/src";
const APP = "packages/app/src";

/** The store's own folders, what composes it, and the crash runner of tests, which looks at files from outside. */
const STORE = [`${CORE}/(journal|machine|testing)/`, `${CORE}/[^/]+\\.ts$`, `${APP}/compose/`];

/** Whole homes: a copy, a move or an import of files is about files, whichever store is used. */
const HOMES = [
  [`${APP}/features/backup/`, "copies and checks a home as the files that it is"],
  [`${APP}/features/import-home/`, "reads homes of other programs, and places files in a home that nobody runs on"],
];

/** A folder of the state directory, as code puts a path together. The word alone is a feature, a field or a route. */
const folder = (name) => new RegExp(`\\bjoin\\([^)]*"${name}"|\\}/${name}\\b(?![/?])`);

/**
 * `name`: what a string names; `code`: what a line does. `also`: who else may, each with the reason. A small shared document is a row as
 * well: `name: /(^|\/)rules\.json$/`, and `also` the file that is its document.
 */
export const stateFiles = [
  {
    what: "journals of sessions",
    name: /\.journal$|removed-spending|\.snapshot\.cache/,
    code: folder("sessions"),
    also: [
      ...HOMES,
      [`${APP}/features/sessions/doctor\\.ts$`, "names the file that a person has to move away"],
      [
        `${APP}/host/audit-owed\\.ts$`,
        "asks whether conversations were there before a log was, from outside of the process",
      ],
    ],
  },
  { what: "blobs", code: folder("blobs"), also: HOMES },
  { what: "keys of platforms", code: folder("keys"), also: [] },
  {
    what: "the audit log",
    name: /(^|\/)head\.json$|(^|\/)checkpoint\.json$/,
    code: folder("audit"),
    also: [
      HOMES[0],
      [`${CORE}/audit/`, "the log of one process: its chain, key and head stay with the node (0093)"],
      [`${APP}/host/audit-log\\.ts$`, "opens it"],
      [`${APP}/features/audit/routes\\.ts$`, "shows when the head was written last"],
    ],
  },
];

/** Strings as they are written: quotes, and the parts of templates. */
const STRING = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g;

/** @param sources `{ path, text }`. @returns `{ path, line, text, what }` of each name in the wrong place. */
export function strayNames(sources, rows = stateFiles) {
  const found = [];
  for (const { path, text } of sources) {
    const open = rows.filter(
      ({ also }) => ![...STORE, ...also.map(([place]) => place)].some((place) => matches(place, path)),
    );
    if (open.length === 0) continue;
    for (const [number, line] of text.split("\n").entries()) {
      if (/^\s*(\/\/|\*|\/\*|import |export .* from )/.test(line)) continue;
      const said = [...line.matchAll(STRING)].map(([, ...parts]) => parts.find((part) => part !== undefined) ?? "");
      for (const { what, name, code } of open) {
        const named = said.find((one) => name?.test(one)) ?? code?.exec(line)?.[0];
        if (named !== undefined) found.push({ path, line: number + 1, text: named, what });
      }
    }
  }
  return found;
}

function matches(place, path) {
  return new RegExp(`^(${place})`).test(path);
}

/** @returns the leaves that nobody uses any more. */
export function unusedLeaves(sources) {
  return stateFiles.flatMap((row) =>
    row.also
      .filter((one) => strayNames(sources, [{ ...row, also: row.also.filter((other) => other !== one) }]).length === 0)
      .map(([place]) => `${place}: ${row.what}`),
  );
}
