// npm start: installs and builds what is missing, then runs margay with the arguments given after `--`.
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const margay = join(root, "packages/app/bin/margay.js");
// npm runs scripts in the checkout; the person means the folder they are in.
const cwd = process.env.INIT_CWD ?? process.cwd();
process.exitCode = (await prepare())
  ? await inherit(node24(), [margay, ...process.argv.slice(2)], { cwd, env: process.env })
  : 1;
