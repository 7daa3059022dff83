// The numbers that say how well the house can be read. Each takes the sources and returns what it counts, with examples.
import { basename, dirname } from "node:path";

import { writtenPast } from "./written-files.mjs";

/** Folders of core that one message passes. */
const READING_PATH = /^packages\/core\/src\/(contract|journal|session|loop|context|policy|tools|model)\//;
const TEXTS = /\.(en|zh)\.ts$|\/model-table\.ts$/;
const ENTRIES = ["index", "state", "builtin", "testing"].map((name) => `packages/core/src/${name}.ts`);
/** Where records are folded, and where those of older journals are brought up to date. Elsewhere one listens: `bySomeKind`. */
const FOLDS = /^packages\/core\/src\/(session|view|transcript|facts|contract|testing|journal)\//;
/** What other programs throw without a code can only be told by its words. */
const FOREIGN = /^packages\/core\/src\/(lib\/errors\/connection-failure|model\/failures)\.ts$/;
/** Chinese that is no translation of a text: what a person of the house says, what a Chinese vendor calls itself, practice mode. */
const CHINESE = /\.zh\.ts$|\/presets-zh-cn\.ts$|\/catalog-china\.ts$|\/features\/practice\//;
/** Words that the glossary replaced; not the names that are in a journal or a log, on the wire or in HTML. */
const OLD_WORDS =
  /\b(halt(?:ed|ing|s)?|(?<!(?:[Kk]e(?:ep|pt)s?|put|set|moved)[ -]|<\/?|article, )aside(?!: keptAs)|surroundings(?!: callFiles)\w*|leash\w*|leftovers(?!\.kept)\w*|park(?:ed|ing)?|born|fallen|withhold\w*|keptAnswers?|AT_HAND|mailbox|obeyOtherProcesses|atRest)\b/g;
const MAX_FILES = 25;
const MAX_LINES = 300;

/** @typedef {{ readonly count: number; readonly places: readonly string[] }} Gauge */

/** @returns {Gauge} */
const found = (places) => ({ count: places.length, places });

/** @param all `{ path, text }`, paths from the root of the checkout. A plugin has the words of its platform, and the sizes of the house. */
export function gauges(all) {
  const sources = all.filter(({ path }) => path.startsWith("packages/"));
  return {
    "folders with more than 25 files": folders(all),
    "files of more than 300 lines": longFiles(all),
    "lines of core's reading path": readingPath(sources),
    "public names of core": publicNames(sources),
    "records folded elsewhere": folds(sources),
    "decisions on a text": decisions(sources),
    "lines with Chinese outside of a catalog": chinese(sources),
    "rows cited that are not in the repository": references(sources),
    "words that the glossary replaced": oldWords(sources),
    "files written past the store of documents": found(writtenPast(sources)),
  };
}

function folders(sources) {
  const counts = new Map();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return found([...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder}: ${count}`));
}

function longFiles(sources) {
  return found(
    sources.filter(({ path, text }) => /\.tsx?$/.test(path) && lengthOf(text) > MAX_LINES).map(({ path }) => path),
  );
}

function lengthOf(text) {
  return text.split("\n").length - 1;
}

function readingPath(sources) {
  const files = sources.filter(({ path }) => READING_PATH.test(path) && !TEXTS.test(path));
  const lines = files.map(({ path, text }) => ({ path, lines: lengthOf(text) }));
  const count = lines.reduce((sum, one) => sum + one.lines, 0);
  const longest = lines.toSorted((one, other) => other.lines - one.lines).slice(0, 5);
  return { count, places: longest.map((one) => `${one.path}: ${one.lines}`) };
}

function publicNames(sources) {
  const names = new Set();
  for (const { path, text } of sources.filter((one) => ENTRIES.includes(one.path))) {
    if (/^export \*/m.test(text)) throw new Error(`${path} exports whatever another file has: name it`);
    for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
      for (const one of list.split(","))
        names.add(
          one
            .trim()
            .replace(/^type /, "")
            .split(" as ")
            .at(-1),
        );
    for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm))
      names.add(name);
  }
  names.delete("");
  return found([...names].sort((one, other) => (one < other ? -1 : 1)));
}

/** The types of records are read off their union. */
function folds(sources) {
  const union = sources.find(({ path }) => path === "packages/core/src/contract/record.ts")?.text ?? "";
  const types = [...union.matchAll(/readonly type: "([a-z]+\.[a-z]+)"/g)].map(([, type]) => type.replace(".", "\\."));
  if (types.length === 0) return found([]);
  const pattern = new RegExp(`(?<!\\bcode )(?:case|===|!==) "(?:${types.join("|")})"`); // some errors have the name of a record
  return found(lines(sources, (path) => !FOLDS.test(path), pattern));
}

function decisions(sources) {
  return found(
    lines(
      sources,
      (path) => !FOREIGN.test(path),
      /\.(?:message|reason)\.(?:includes|startsWith|endsWith|match)\(|\.test\(\w+\.(?:message|reason)\)/,
    ),
  );
}

function chinese(sources) {
  return found(lines(sources, (path) => !CHINESE.test(path), /\p{Script=Han}/u));
}

function references(sources) {
  return found(lines(sources, () => true, /(?:\/\/|^\s*\/?\*).*(?:\b(?:R|[A-Z]{2})\d{1,3}\b(?!-)|§)/));
}

function oldWords(sources) {
  const ours = sources.filter(({ path }) => !TEXTS.test(path)); // a text says it as people do
  return found(ours.flatMap(({ path, text }) => [...text.matchAll(OLD_WORDS)].map(([word]) => `${path}: ${word}`)));
}

function lines(sources, isAsked, pattern) {
  return sources.flatMap(({ path, text }) =>
    isAsked(path) && basename(path).match(/\.tsx?$/)
      ? text.split("\n").flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : []))
      : [],
  );
}
