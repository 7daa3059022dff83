// npm run screens: every page in both themes and languages, at desktop and phone width, for a person to look at.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { onNode24, root, say } from "./lib/toolchain.mjs";

await onNode24(import.meta.url);
const folder = resolve(process.argv[2] ?? join(root, "node_modules/.cache/margay/screens"));
mkdirSync(folder, { recursive: true });
const child = spawn(
  process.execPath,
  ["--conditions=margay-source", join(root, "packages/app/test/browser/screens-main.ts"), folder],
  { stdio: "inherit", cwd: root },
);
child.on("exit", (code) => {
  if (code === 0) say(`the screens are in ${folder}`);
  process.exitCode = code ?? 1;
});
