import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../toolchain.mjs";

// One file at a time, in processes of their own: what follows in the file was reached by this test file or its children.
appendFileSync(join(root, ".reached"), `> ${globalThis.__vitest_worker__.filepath.slice(root.length + 1)}\n`);
