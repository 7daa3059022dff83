// npm run bench: margay's built bundle and the floors in one run, then the tables. Arguments go to the kit.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { prepare } from "./lib/prepare.mjs";
import { inherit, node24, root } from "./lib/toolchain.mjs";

const out = join(mkdtempSync(join(tmpdir(), "margay-bench-")), "results.jsonl");
const kit = (name) => join(root, "bench", name);
process.exitCode = (await prepare())
  ? (await inherit(node24(), [kit("run.mjs"), "--node", node24(), "--out", out, ...process.argv.slice(2)])) ||
    (await inherit(node24(), [kit("report.mjs"), out]))
  : 1;
