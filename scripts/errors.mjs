// docs/errors.md is generated from the table of codes: `node scripts/errors.mjs --write`. Without the flag it compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { onNode24, root } from "./lib/toolchain.mjs";

const FILE = join(root, "docs/errors.md");

/** The page for a table of codes, grouped by the word before the dot. */
export function errorsPage(codes) {
  const groups = Object.groupBy(Object.entries(codes), ([code]) => code.split(".")[0]);
  const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const sections = Object.entries(groups).map(([group, rows]) => {
    const lines = rows.map(([code, { cause, remedy }]) => `| \`${code}\` | ${cell(cause)} | ${cell(remedy)} |`);
    return `## ${group}\n\n| code | what happened | what to do |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  return `# Error codes

Every error that leaves margay carries one of these codes: in \`--json\` output, in the journal, in the log and on the wire.
Codes are stable, texts are not: branch on the code.

This page is generated from \`packages/core/src/lib/errors/error-codes.ts\`; write it again with \`node scripts/errors.mjs --write\`.

${sections.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await onNode24(import.meta.url); // strips the types of the table
  const { ERROR_CODES } = await import("../packages/core/src/lib/errors/error-codes.ts");
  const page = errorsPage(ERROR_CODES);
  if (process.argv.includes("--write")) writeFileSync(FILE, page);
  else if (readFileSync(FILE, "utf8") !== page) {
    process.stderr.write("docs/errors.md is not what the table of codes says. Run: node scripts/errors.mjs --write\n");
    process.exitCode = 1;
  }
}
