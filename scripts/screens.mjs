// npm run screens: every page in both themes and languages, at desktop and phone width, for a person to look at.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { onNode24, root, say } from "./lib/toolchain.mjs";

await onNode24(import.meta.url);
const folder = resolve(process.argv[2] ?? join(root, "node_modules/.cache/margay/screens"));
mkdirSync(folder, { recursive: true });
let failed = 0;
for (const script of ["screens-main.ts", "screens-door-main.ts"]) {
  const file = join(root, "packages/app/test/browser", script);
  const child = spawn(process.execPath, ["--conditions=margay-source", file, folder], { stdio: "inherit", cwd: root });
  const [code] = await once(child, "exit");
  failed ||= code ?? 1;
}
if (failed === 0) say(`the screens are in ${folder}`);
process.exitCode = failed;
