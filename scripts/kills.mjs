// npm run kills [-- --connected]: the kill matrix over the built bundle. Needs `npm install` and builds what is stale.
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const program = join(root, "packages/app/test/durability/kill-matrix-main.ts");
process.exitCode = (await prepare())
  ? await inherit(node24(), ["--conditions=margay-source", program, ...process.argv.slice(2)], { stdin: "ignore" })
  : 1;
