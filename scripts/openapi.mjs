// docs/openapi.json and docs/ws.schema.json are generated from the routes and frames of the gateway:
// `node scripts/openapi.mjs --write`. Without the flag they are compared.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { onNode24, root } from "./lib/toolchain.mjs";

const CONDITION = "--conditions=margay-source"; // the routes import @margay/core: its sources, not a build of them

if (!process.execArgv.includes(CONDITION)) {
  await onNode24(import.meta.url);
  const { status } = spawnSync(process.execPath, [CONDITION, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(status ?? 1);
}
const { ROUTES } = await import("../packages/app/src/compose/routes.ts");
const { openApiDocument } = await import("../packages/app/src/host/api/openapi.ts");
const { frameSchema } = await import("../packages/app/src/features/system/frame-schema.ts");
const pages = { "openapi.json": openApiDocument(ROUTES), "ws.schema.json": frameSchema() };
for (const [name, document] of Object.entries(pages)) {
  const file = join(root, "docs", name);
  const page = `${JSON.stringify(document, null, 1)}\n`;
  if (process.argv.includes("--write")) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    process.stderr.write(`docs/${name} is not what the gateway says. Run: node scripts/openapi.mjs --write\n`);
    process.exitCode = 1;
  }
}
