// docs/configuration.md is generated from the table of keys: `node scripts/configuration.mjs --write`. Without the flag it compares.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { onNode24, root } from "./lib/toolchain.mjs";

/** The page for the rows of the table, a section for each first name. */
function configurationPage(keys, keyText, takes) {
  const sections = Object.entries(Object.groupBy(keys, ({ path }) => (path.includes(".") ? path.split(".")[0] : "")));
  const tables = sections.map(([name, rows]) => {
    const lines = rows.map(
      (key) => `| \`${key.path}\` | ${cell(takes(key.kind))} | ${defaults(key)} | ${cell(notes(key, keyText))} |`,
    );
    const title = name === "" ? "" : `## ${name}\n\n`;
    return `${title}| key | takes | default | what it does |\n| --- | --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  return `# Configuration

Every key of \`config.json\`. \`*\` stands for a name of yours. \`margay config show\` prints the values in force and where each
comes from; \`margay config set KEY VALUE\` changes one.

This page is generated from \`packages/app/src/config/keys/\`; write it again with \`node scripts/configuration.mjs --write\`.

${tables.join("\n")}`;
}

function defaults(key) {
  const profiles = ["nanobot", "countbot"].filter((name) => key[name] !== undefined);
  const own = key.default === undefined ? "none" : code(key.default);
  return [own, ...profiles.map((name) => `${name}: ${code(key[name])}`)].join("; ");
}

function notes(key, keyText) {
  const marks = [
    key.secret && "A secret.",
    key.restart && "Used from the next start.",
    key.profileOnly && "It imitates an earlier project; no form shows it.",
    key.environment && `Without it: ${key.environment.join(", ")} of the environment.`,
  ];
  return [keyText(key.path, "en"), ...marks.filter(Boolean)].join(" ");
}

function code(value) {
  return `\`${cell(JSON.stringify(value))}\``;
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
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
const file = join(root, "docs/configuration.md");
const page = configurationPage(KEYS, keyText, (kind) => kindText(kind, translator("en")));
if (process.argv.includes("--write")) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
  process.stderr.write(
    "docs/configuration.md is not what the table of keys says. Run: node scripts/configuration.mjs --write\n",
  );
  process.exitCode = 1;
}
