// With what the tests run when it is noted which functions each test file reaches: a line with its name comes first.
import { mergeConfig } from "vitest/config";

import config from "../../../vitest.config.ts";

export default mergeConfig(config, { test: { setupFiles: ["scripts/lib/mutants/reach-setup.mjs"] } });
