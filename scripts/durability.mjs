// npm run kills, chaos, faults, burst, upgrade-drill, release-fixture: the suites of kills, faults, floods and releases over the built bundle.
// Needs `npm install`, builds what is stale.
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const [suite = "", ...args] = process.argv.slice(2);
const program = join(root, "packages/app/test", `${suite}-main.ts`);
process.exitCode = (await prepare())
  ? await inherit(node24(), ["--conditions=margay-source", program, ...args], { stdin: "ignore" })
  : 1;
