// npm run build: packages/app and each plugin as one self-contained bundle, packages/core as a library with its types.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { ascii } from "./lib/ascii.mjs";
import { buildWeb } from "./lib/build-web.mjs";
import { hotChunks } from "./lib/hot-chunks.mjs";
import { cheapBuiltins } from "./lib/cheap-builtins.mjs";
import { filesBelow, fingerprint, isFresh, stamp } from "./lib/freshness.mjs";
import { notice } from "./lib/notice.mjs";
import { SITE_SOURCES } from "./lib/site/sources.mjs";
import { withSmallHeaders } from "./lib/small-headers.mjs";
import { startChunk } from "./lib/start-chunk.mjs";
import { onNode24, root, say } from "./lib/toolchain.mjs";

const core = join(root, "packages/core");
const app = join(root, "packages/app");
/** What shapes of features are made of. */
const FORM_SOURCES = ["packages/app/src/protocol", "packages/app/src/config/keys", "packages/app/src/config/keys.ts"];
const tooling = ["package-lock.json", "scripts/build.mjs", "scripts/lib"];
const builds = [
  {
    name: "core",
    sources: ["packages/core/src", "packages/core/package.json", ...tooling],
    outputs: ["packages/core/dist/index.js"],
    make: buildCore,
  },
  {
    name: "app",
    sources: ["packages/app/src", "packages/core/src", "packages/app/package.json", ...tooling],
    outputs: [
      "packages/app/dist/main.js",
      "packages/app/dist/index.d.ts",
      "packages/app/NOTICE",
      "packages/app/man/margay.1",
    ],
    make: buildApp,
  },
  {
    name: "web",
    folder: "the pages",
    sources: [
      ...["packages/app/src/web", ...pageFolders(), ...FORM_SOURCES, "packages/app/package.json"],
      ...["state.ts", "internal-state.ts", "contract", "session", "view", "lib"].map(
        (path) => `packages/core/src/${path}`,
      ),
      ...tooling,
    ],
    outputs: ["packages/app/dist/web/manifest.json"], // after "app": that build keeps the folder when it swaps its own
    make: () => buildWeb(join(app, "src/web"), join(app, "dist/web")),
  },
  {
    name: "help",
    folder: "the documentation",
    sources: [...SITE_SOURCES, "packages/app/package.json", ...tooling],
    outputs: ["packages/app/dist/help/manifest.json"], // after "app", as the pages
    make: async () => (await import("./lib/site/pack.mjs")).buildHelp(join(app, "dist/help")),
  },
  ...readdirSync(join(root, "plugins"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      folder: `plugins/${name}`,
      sources: [`plugins/${name}/src`, `plugins/${name}/package.json`, ...tooling],
      outputs: [`plugins/${name}/dist/index.js`, `plugins/${name}/NOTICE`],
      make: () => buildPlugin(join(root, "plugins", name)),
    })),
].map((one) => ({ ...one, print: fingerprint(one.sources) })); // taken before: an edit during the build makes it stale

/** Pages, and the shapes their forms are drawn from. */
function pageFolders() {
  const features = "packages/app/src/features";
  return readdirSync(join(root, features)).flatMap((name) => [
    `${features}/${name}/page`,
    ...readdirSync(join(root, features, name))
      .filter((file) => file.endsWith("schema.ts"))
      .map((file) => `${features}/${name}/${file}`),
  ]);
}

const force = process.argv.includes("--force");
const stale = builds.filter(({ name, print, outputs }) => force || !isFresh(`build-${name}`, print, outputs));
if (stale.length === 0) process.exit(0);

await onNode24(import.meta.url);
process.env.NODE_ENV = "production"; // what a test that builds has in its environment would make another page
const { build } = await import("tsdown");
const coreEntries = Object.entries(JSON.parse(readFileSync(join(core, "package.json"), "utf8")).exports);

for (const { name, folder = `packages/${name}`, print, make } of stale) {
  const started = performance.now();
  say(`building ${folder} …`);
  let detail;
  try {
    detail = await make();
  } catch (error) {
    say(`${folder} could not be built. ${stripVTControlCharacters(error.message)}`);
    process.exit(1);
  }
  stamp(`build-${name}`, print);
  say(`built ${folder} in ${((performance.now() - started) / 1000).toFixed(1)} s: ${detail}`);
}

/** The four entries as they are published: dependencies stay imports, declarations beside the code. */
async function buildCore() {
  // What is internal to the workspace has no built file.
  const sources = coreEntries.filter(([, { types }]) => types).map(([, target]) => target["margay-source"]);
  const missing = sources.filter((source) => !existsSync(join(core, source)));
  if (missing.length > 0) {
    if (process.env.CI)
      throw new Error(
        `packages/core exports ${missing.join(", ")}, which do not exist. Write them or drop the export.`,
      );
    say(`  not there yet, left out: ${missing.join(", ")}`);
  }
  const present = sources.filter((source) => !missing.includes(source));
  const entry = Object.fromEntries(present.map((source) => [basename(source, ".ts"), source]));
  entry["crash-hook"] = "src/testing/crash-hook.ts"; // a program: the testing kit starts it by its path beside itself
  Object.assign(entry, workers());
  const chunks = await bundle(core, {
    entry,
    dts: { sourcemap: false },
    platform: "node",
    tsconfig: join(core, "tsconfig.declarations.json"),
  });
  for (const folder of [core, join(root, "packages/create-margay-plugin")])
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return summary(chunks);
}

/** One program without dependencies, and the types of its library: everything inlined, what is imported lazily in chunks of its own. */
async function buildApp() {
  if (!existsSync(join(app, "src/main.ts"))) {
    if (process.env.CI) throw new Error("packages/app/src/main.ts does not exist: there is no program to build.");
    return "src/main.ts is not there yet, left out";
  }
  const alias = Object.fromEntries(
    coreEntries
      .map(([name, target]) => [`@margay/core${name.slice(1)}`, join(core, target["margay-source"])])
      .reverse(), // longest first
  );
  // Its other build hides what it requires from a bundler.
  alias["jsonc-parser"] = join(root, "node_modules/jsonc-parser/lib/esm/main.js");
  const start = startChunk();
  const types = {
    entry: { index: "src/index.ts" },
    alias,
    dts: { emitDtsOnly: true, sourcemap: false },
    platform: "node",
    tsconfig: join(core, "tsconfig.declarations.json"), // declarations file by file
    deps: { alwaysBundle: [/./], onlyBundle: false, onlyImport: [] },
  };
  const program = {
    entry: {
      "chunk-loader": "src/chunk-loader.ts",
      main: "src/main.ts",
      embed: "src/embed.ts",
      index: "src/index.ts",
      ...workers(),
    },
    alias,
    dts: false,
    platform: "node",
    plugins: [
      withSmallHeaders(),
      cheapBuiltins(),
      start.plugin,
      ascii(),
      hotChunks(start.isStart, "./chunk-loader.js"),
    ],
    outputOptions: { codeSplitting: { groups: start.groups } },
    inputOptions: { preserveEntrySignatures: "allow-extension" }, // as groups without their dependencies ask for
    deps: { alwaysBundle: [/./], onlyBundle: false, onlyImport: [] },
    // Names of functions stay: stack traces are read by people. Short names of the rest are a fifth of the bytes of a start.
    minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: true },
  };
  const chunks = await bundle(app, program, types);
  writeFileSync(join(app, "NOTICE"), notice(chunks.flatMap((chunk) => chunk.moduleIds ?? [])));
  cpSync(join(root, "LICENSE"), join(app, "LICENSE"));
  mkdirSync(join(app, "man"), { recursive: true });
  writeFileSync(join(app, "man/margay.1"), manPage());
  return summary(chunks);
}

/** As the program that was just built writes it; its day is that of the last commit, so that two builds of it are alike. */
function manPage() {
  const committed = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).stdout?.trim();
  const day = process.env.SOURCE_DATE_EPOCH ?? committed ?? "";
  const env = { ...process.env, ...(day !== "" && { SOURCE_DATE_EPOCH: day }) };
  return execFileSync(process.execPath, [join(app, "dist/main.js"), "completion", "man", "--lang", "en"], { env });
}

/** One file without dependencies, as `margay plugin add` installs it with nothing from the network. Core is types only. */
async function buildPlugin(cwd) {
  const chunks = await bundle(cwd, {
    entry: { index: "src/index.ts" },
    dts: false,
    platform: "node",
    deps: { alwaysBundle: [/./], onlyBundle: false, onlyImport: [] },
    minify: { compress: true, mangle: false, codegen: true },
  });
  writeFileSync(join(cwd, "NOTICE"), notice(chunks.flatMap((chunk) => chunk.moduleIds ?? [])));
  cpSync(join(root, "LICENSE"), join(cwd, "LICENSE"));
  return summary(chunks);
}

/** Threads are started by path, beside the code that starts them: each is a file of its own in both builds. */
function workers() {
  const files = filesBelow(join(core, "src")).filter((file) => file.endsWith("-worker.ts"));
  return Object.fromEntries(files.map((file) => [basename(file, ".ts"), file]));
}

/** Builds into a folder beside `dist` and swaps, so that whoever runs the old one never sees half of the new one. */
async function bundle(cwd, ...parts) {
  const staging = join(cwd, `.dist-${process.pid}`);
  const dist = join(cwd, "dist");
  try {
    const bundles = [];
    for (const options of parts)
      bundles.push(
        ...(await build({
          cwd,
          config: false,
          format: "esm",
          target: "node24",
          outDir: staging,
          clean: bundles.length === 0,
          fixedExtension: false,
          logLevel: "warn",
          report: false,
          tsconfig: join(root, "tsconfig.base.json"),
          ...options,
        })),
      );
    mkdirSync(dist, { recursive: true });
    renameSync(dist, `${staging}-old`);
    renameSync(staging, dist);
    for (const kept of ["web", "help"])
      if (existsSync(join(`${staging}-old`, kept))) renameSync(join(`${staging}-old`, kept), join(dist, kept));
    return bundles.flatMap((one) => one.chunks);
  } finally {
    rmSync(staging, { recursive: true, force: true });
    rmSync(`${staging}-old`, { recursive: true, force: true });
  }
}

function summary(chunks) {
  const bytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code ?? chunk.source ?? ""), 0);
  return `${chunks.length} files, ${(bytes / 1e6).toFixed(2)} MB in ${relative(root, chunks[0]?.outDir ?? root).replace(/\.dist-\d+/, "dist")}`;
}
