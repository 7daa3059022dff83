// Tests run from the TypeScript sources, three workers, no isolation, in a random order whose seed vitest prints.
import { defineConfig, type ViteUserConfig } from "vitest/config";

// A condition of our own: some packages publish a "source" that points to TypeScript Node refuses to strip. No "module":
// what @smithy publishes under it only a bundler can resolve.
const conditions = ["margay-source", "node", "development|production"];

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["margay-source", "node"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "plugins/*/test/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["scripts/lib/built-setup.mjs"],
    // Does something only in a run that secrets were planted for, as npm test does.
    setupFiles: ["scripts/lib/planted-setup.mjs"],
    pool: "forks",
    isolate: false,
    // On two cores: most tests wait for processes, and two of them leave a third of the machine idle.
    maxWorkers: 3,
    // Repeat a run with the seed it printed: npm test -- --sequence.seed=N
    sequence: { shuffle: { files: true, tests: true } },
    // What hangs fails in the end; a machine that is five times slower than ours does not.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 30_000 } },
    // A test that passes on its second attempt is a bug that was not looked at: npm test names it (decision 0037).
    retry: 0,
    passWithNoTests: false,
    // Colors and hyperlinks in what children print depend on these; tests see the same on every machine.
    env: { NO_COLOR: "1", FORCE_COLOR: "0" },
    server: { deps: { inline: [/^@margay\//] } },
  },
});

export default config;
