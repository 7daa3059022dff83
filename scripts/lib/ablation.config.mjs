// What scripts/ablation.mjs runs the tests with: one guard is switched off in what they import; the file itself stays as it is.
import { mergeConfig } from "vitest/config";

import config from "../../vitest.config.ts";
import { root } from "./toolchain.mjs";

const { file, find, replace } = JSON.parse(process.env.MARGAY_ABLATION);

export default mergeConfig(config, {
  root,
  plugins: [
    {
      name: "ablation",
      enforce: "pre",
      transform: (code, id) => (id === file ? code.replace(find, () => replace) : undefined),
    },
  ],
  // What is kept between runs must not hold a guard that was switched off.
  test: { fsModuleCache: false },
});
