// npm run test:security: what the security design promises, then each guard switched off alone. Both close with `N passed, N failed`.
import { join } from "node:path";

import { inherit, root } from "./lib/toolchain.mjs";

/** Folders and files of tests, as vitest filters them. */
const TESTS = [
  "packages/core/test/security/",
  "packages/app/test/security/",
  "packages/core/test/machine/sandbox/",
  "packages/core/test/labels/",
  "packages/core/test/lib/git-config",
  "packages/core/test/loop/call-questions",
  "packages/app/test/mcp/",
  "packages/app/test/gateway/network",
  "packages/core/test/policy/",
  "packages/core/test/audit/",
  "packages/core/test/loop/strict",
  "packages/core/test/loop/outgoing-links",
  "packages/core/test/lib/neutral",
  "packages/core/test/lib/redact",
  "packages/core/test/builtin/path-corpus",
  "packages/core/test/machine/safe-fetch",
  "packages/core/test/model/stream-cases",
  "packages/app/test/gateway/attacks",
  "packages/app/test/access/",
];

// What the usual run plays a part of is played whole.
process.env["MARGAY_SECURITY"] = "all";
const tests = await inherit(process.execPath, [join(root, "scripts/test.mjs"), ...TESTS]);
const guards = await inherit(process.execPath, [join(root, "scripts/ablation.mjs")]);
process.exitCode = tests === 0 && guards === 0 ? 0 : 1;
