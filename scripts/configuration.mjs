// docs/configuration.md and its Chinese sister are generated from the table of keys: `node scripts/configuration.mjs --write`.
// Without the flag it compares.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { en } from "./lib/configuration/page.en.mjs";
import { zh } from "./lib/configuration/page.zh.mjs";
import { onNode24, root } from "./lib/toolchain.mjs";

/** The page for the rows of the table, a section for each first name. @param texts of `words`, in the language of `keyText` and `takes`. */
function configurationPage(keys, words, keyText, takes) {
  const sections = Object.entries(Object.groupBy(keys, ({ path }) => (path.includes(".") ? path.split(".")[0] : "")));
  const tables = sections.map(([name, rows]) => {
    const lines = rows.map(
      (key) =>
        `| \`${key.path}\` | ${cell(takes(key.kind))} | ${defaults(key, words)} | ${cell(notes(key, words, keyText))} |`,
    );
    const title = name === "" ? "" : `## ${name}\n\n`;
    return `${title}${words.head}\n| --- | --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  return `${words.intro}\n${tables.join("\n")}`;
}

function defaults(key, { none }) {
  const profiles = ["nanobot", "countbot"].filter((name) => key[name] !== undefined);
  const own = key.default === undefined ? none : code(key.default);
  return [own, ...profiles.map((name) => `${name}: ${code(key[name])}`)].join("; ");
}

function notes(key, words, keyText) {
  const marks = [
    key.secret && words.secret,
    key.restart && words.restart,
    key.profileOnly && words.profileOnly,
    key.environment && words.environment(key.environment.join(words.comma)),
  ];
  return [keyText(key.path), ...marks.filter(Boolean)].join(words.between);
}

function code(value) {
  return `\`${cell(JSON.stringify(value))}\``;
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}

const CONDITION = "--conditions=margay-source"; // the table imports @margay/core: its sources, not a build of them

if (!process.execArgv.includes(CONDITION)) {
  await onNode24(import.meta.url);
  const { status } = spawnSync(process.execPath, [CONDITION, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(status ?? 1);
}
const { KEYS } = await import("../packages/app/src/config/keys.ts");
const { keyText } = await import("../packages/app/src/config/key-text.ts");
const { kindText } = await import("../packages/app/src/config/faults.ts");
const { translator } = await import("../packages/app/src/texts/translate.ts");
for (const [name, language, words] of [
  ["docs/configuration.md", "en", en],
  ["docs/configuration.zh-CN.md", "zh-CN", zh],
]) {
  const takes = (kind) => kindText(kind, translator(language));
  const page = configurationPage(KEYS, words, (path) => keyText(path, language), takes);
  const file = join(root, name);
  if (process.argv.includes("--write")) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    process.stderr.write(`${name} is not what the table of keys says. Run: node scripts/configuration.mjs --write\n`);
    process.exitCode = 1;
  }
}
