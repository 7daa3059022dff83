// npm run first-hour [-- FOLDER STARTS]: a new user's first hour in a real browser, with figures and pictures (docs/first-hour.md).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";

import { onNode24, root, say } from "./lib/toolchain.mjs";

await onNode24(import.meta.url);
const [given, ...starts] = process.argv.slice(2);
const folder = resolve(given ?? join(root, "node_modules/.cache/margay/first-hour"));
const file = join(root, "packages/app/test/browser/first-hour-main.ts");
const child = spawn(process.execPath, ["--conditions=margay-source", file, folder, ...starts], {
  stdio: "inherit",
  cwd: root,
});
const [code] = await once(child, "exit");
if (code === 0) say(`the pictures are in ${folder}`);
process.exitCode = code ?? 1;
