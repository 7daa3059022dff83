import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@margay/core";
import { expect, test } from "vitest";
import { KEY_TEXTS } from "../../src/config/keys/texts.en.ts";
import { KEY_TEXTS_ZH } from "../../src/config/keys/texts.zh.ts";
import { KEYS } from "../../src/config/keys.ts";
import { ERROR_TEXTS } from "../../src/texts/errors.zh.ts";
import { TEXTS } from "../../src/texts/translate.ts";

const EN = Object.assign({}, ...TEXTS.en) as Readonly<Record<string, string>>; // catalogs of texts
const ZH = Object.assign({}, ...TEXTS["zh-CN"]) as Readonly<Record<string, string>>; // as above
const PAIRS = Object.entries(EN).map(([key, en]) => [key, { en, "zh-CN": ZH[key] ?? "" }] as const);

test("no key stands in two catalogs", () => {
  const keys = TEXTS.en.flatMap((catalog) => Object.keys(catalog));
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

function placeholders(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{([a-zA-Z]+)\}/g)].map((found) => found[1] ?? ""))].sort();
}

test("R315 UI8 every text exists in English and Chinese with the same placeholders", () => {
  const wrong = PAIRS.filter(
    ([, text]) =>
      text.en === "" || text["zh-CN"] === "" || placeholders(text.en).join() !== placeholders(text["zh-CN"]).join(),
  );
  expect(wrong.map(([key]) => key)).toEqual([]);
});

test("R315 Chinese texts are Chinese", () => {
  // What is made of placeholders and names alone reads the same in both.
  const untranslated = PAIRS.filter(
    ([, text]) =>
      /[a-z]{4,}/i.test(text.en.replaceAll(/\{[a-zA-Z]+\}|`[^`]*`/g, "")) && !/\p{Script=Han}/u.test(text["zh-CN"]),
  );
  expect(untranslated.map(([key]) => key)).toEqual(["kind.nothing", "doctor.node"]);
});

test("R315 every key of the configuration is described in both languages", () => {
  const paths = KEYS.map(({ path }) => path);
  expect([Object.keys(KEY_TEXTS), Object.keys(KEY_TEXTS_ZH)]).toEqual([paths, paths]);
  expect(paths.filter((path) => KEY_TEXTS[path] === "" || !/\p{Script=Han}/u.test(KEY_TEXTS_ZH[path] ?? ""))).toEqual(
    [],
  );
});

test("R315 every error code has a Chinese text", () => {
  expect(Object.keys(ERROR_TEXTS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test("R315 no text is unused", () => {
  const source = sourcesOf(join(import.meta.dirname, "../../src")).join("\n");
  const unused = PAIRS.map(([key]) => key).filter(
    (key) => !source.includes(`"${key}"`) && !DYNAMIC.some((prefix) => key.startsWith(prefix)),
  );
  expect(unused).toEqual([]);
});

/** Keys that are put together from a prefix and a word of a union. */
const DYNAMIC = [
  "channels.step.",
  "backup.told.",
  "moved.",
  "kind.",
  "source.",
  "usage.group.",
  "doctor.",
  "sandbox.",
  "error.",
  "about.",
  "opt.",
  "people.",
  "channels.reply.",
  "channels.state.",
  "channels.once.",
  "channels.history.",
  "cron.",
  "import.status.",
  "import.area.",
  "skills.status.",
  "skills.from.",
  "fault.",
  "vault.wrongKey.",
  "man.exit.",
  "man.env.",
  "man.file.",
  "undo.do.",
  "quarantine.kind.",
  "undo.gap.",
  "undo.why.",
  "keyring.missing.",
];

function sourcesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(?:en|zh)\.ts$/.test(name))
    .map((name) => readFileSync(join(directory, name), "utf8"));
}
