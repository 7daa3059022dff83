// npm start: installs and builds what is missing, then runs margay with the arguments given after `--`.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const margay = join(root, "packages/app/bin/margay.js");
// npm runs scripts in the checkout; the person means the folder they are in.
const cwd = process.env.INIT_CWD ?? process.cwd();
const args = process.argv.slice(2);
// Before anything is set up, "the files here" are those of this folder; afterwards the configuration says.
const configured = existsSync(join(process.env.MARGAY_HOME ?? join(homedir(), ".margay"), "config.json"));
const here = configured || args.includes("--workspace") || args.includes("--home") ? [] : ["--workspace", cwd];
process.exitCode = (await prepare())
  ? await inherit(node24(), [margay, ...here, ...args], {
      cwd,
      env: { ...process.env, MARGAY_COMMAND: "npm start --" },
    })
  : 1;
