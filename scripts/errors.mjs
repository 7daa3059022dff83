// docs/errors.md and its Chinese sister are generated from the tables of codes: `node scripts/errors.mjs --write`. Without the
// flag it compares.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { onNode24, root } from "./lib/toolchain.mjs";

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
Codes are stable, texts are not: branch on the code. [简体中文](errors.zh-CN.md)

This page is generated from \`packages/core/src/lib/errors/error-table.ts\`; write it again with \`node scripts/errors.mjs --write\`.

${sections.join("\n")}`;
}

/** The same in Chinese, where cause and remedy are one text. */
export function chineseErrorsPage(texts) {
  const groups = Object.groupBy(Object.entries(texts), ([code]) => code.split(".")[0]);
  const sections = Object.entries(groups).map(([group, rows]) => {
    const lines = rows.map(([code, text]) => `| \`${code}\` | ${text.replaceAll("|", "\\|").replaceAll("\n", " ")} |`);
    return `## ${group}\n\n| 代码 | 发生了什么，怎么办 |\n| --- | --- |\n${lines.join("\n")}\n`;
  });
  return `# 错误码

离开 margay 的每个错误都带有下列代码之一：在 \`--json\` 输出、日志、运行记录和网络接口中都是如此。
代码保持稳定，文字则不然：程序请按代码判断。[English](errors.md)

本页由 \`packages/app/src/texts/errors.zh.ts\` 生成；用 \`node scripts/errors.mjs --write\` 重新生成。

${sections.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await onNode24(import.meta.url); // strips the types of the tables
  const { ERROR_CODES } = await import("../packages/core/src/lib/errors/error-table.ts");
  const { ERROR_TEXTS } = await import("../packages/app/src/texts/errors.zh.ts");
  const pages = { "docs/errors.md": errorsPage(ERROR_CODES), "docs/errors.zh-CN.md": chineseErrorsPage(ERROR_TEXTS) };
  for (const [name, page] of Object.entries(pages)) {
    const file = join(root, name);
    if (process.argv.includes("--write")) writeFileSync(file, page);
    else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
      process.stderr.write(`${name} is not what the table of codes says. Run: node scripts/errors.mjs --write\n`);
      process.exitCode = 1;
    }
  }
}
