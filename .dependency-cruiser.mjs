// Who may import whom: the layers of AGENTS.md as rules. `npm run check` also asserts that modules were seen.
const CORE = "packages/core/src";
const APP = "packages/app/src";
const WEB = "packages/web/src";

/** What each folder of core may import beside `contract/`, `lib/` and itself. */
const ALSO = {
  contract: [],
  lib: [],
  personas: [],
  view: [],
  policy: [],
  tools: [],
  model: [],
  machine: [],
  journal: ["machine"],
  session: ["journal"],
  transcript: ["session", "journal"],
  facts: ["session", "journal"],
  context: ["personas"],
  bridge: ["model"],
  loop: ["session", "context", "tools"],
  control: ["session", "loop", "policy", "tools"],
  extraction: ["loop", "tools"],
  memory: ["session", "context", "loop", "tools", "machine"],
  subagents: ["session", "loop", "tools"],
  schedule: ["session", "journal", "loop", "tools", "machine"],
  skills: ["machine", "tools"],
  undo: ["machine", "labels"],
  labels: ["machine", "undo"],
  audit: ["facts", "journal", "machine"],
  builtin: ["tools", "machine", "undo", "labels"],
};
const CORE_FOLDERS = Object.keys(ALSO).filter((folder) => folder !== "contract");
const NODE_FOLDERS = "machine|journal|memory|skills|audit|undo|labels|builtin|testing";
/** Imports that break the table, each to be cut: nobody adds one. */
const TO_CUT = [
  ["context/target.ts", "loop/deps.ts"],
  ["control/command-actions.ts", "memory/consolidate-behind.ts"],
  ["control/command-actions.ts", "memory/consolidation-lanes.ts"],
  ["loop/deliver-results.ts", "extraction/outgoing-links.ts"],
  ["loop/endings.ts", "extraction/outgoing-links.ts"],
  ["loop/queue-reply.ts", "extraction/outgoing-links.ts"],
  ["loop/tool-result.ts", "extraction/extraction.ts"],
  ["loop/loop.ts", "control/emergency-stop.ts"],
  ["loop/loop.ts", "memory/compaction.ts"],
  ["model/history.ts", "bridge/to-prompt.ts"],
  ["subagents/subagents.ts", "control/control.ts"],
  ["subagents/subagents.ts", "control/status.ts"],
  ["undo/undo.ts", "builtin/files/write-file.ts"],
];

/** Which npm package may be imported from where. A package that is not here may be imported nowhere in src. */
const PACKAGES = {
  "@ai-sdk/provider": [`${CORE}/(bridge|model)/`],
  "@cfworker/json-schema": [`${CORE}/tools/`],
  croner: [`${CORE}/schedule/`],
  tokenx: [`${CORE}/context/`],
  yaml: [`${CORE}/skills/`],
  "@ai-sdk/(anthropic|google|openai|openai-compatible)": [`${APP}/providers/`],
  "@ai-sdk/amazon-bedrock": ["plugins/provider-bedrock/src/"],
  "@ai-sdk/azure": ["plugins/provider-azure/src/"],
  commander: [`${APP}/cli/`, `${APP}/main\\.ts$`],
  "@clack/prompts": [`${APP}/cli/`],
  "@earendil-works/pi-tui": [`${APP}/tui/`],
  "@modelcontextprotocol/client": [`${APP}/mcp/`],
  json5: [`${APP}/import/`],
  defuddle: [`${CORE}/builtin/web/`],
  linkedom: [`${CORE}/builtin/web/`],
  zod: [`${APP}/gateway/`, `${WEB}/`],
  ws: [`${APP}/gateway/`],
  "(preact|@preact/signals|@preact/signals-core|markdown-it|markdown-it-cjk-friendly|remend|@tanstack/virtual-core|highlight\\.js|katex|uplot|mermaid|diff|vite)":
    [`${WEB}/`],
};

const npm = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown", "undetermined"];

const rules = [
  {
    name: "no-cycles",
    comment: "Two files that need each other are one idea, or an interface in contract/ is missing.",
    from: {},
    to: { circular: true },
  },
  {
    name: "resolvable",
    comment: "The import leads nowhere.",
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: "contract-imports-nothing",
    comment: "contract/ is types only and stands alone.",
    from: { path: `^${CORE}/contract/` },
    to: { pathNot: `^${CORE}/contract/` },
  },
  ...CORE_FOLDERS.map((folder) => ({
    name: `core-${folder}`,
    comment: `${folder}/ may import ${["contract", "lib", "itself", ...ALSO[folder]].join(", ")}. Meet others through contract/.`,
    from: { path: `^${CORE}/${folder}/` },
    to: {
      path: `^${CORE}/`,
      pathNot: [
        `^${CORE}/(${["contract", "lib", folder, ...ALSO[folder]].join("|")})/`,
        ...TO_CUT.filter(([from]) => from.startsWith(`${folder}/`)).map(([, to]) => `^${CORE}/${to}$`),
      ],
    },
  })),
  {
    name: "testing-is-for-tests",
    comment: "Nothing but the entry and tests imports testing/.",
    from: { pathNot: `^(${CORE}/testing(/|\\.ts$)|(packages|plugins)/[^/]+/test/|test/|examples/)` },
    to: { path: `^${CORE}/testing(/|\\.ts$)` },
  },
  {
    name: "node-built-ins",
    comment: "The machine is reached through machine/ and the folders that are files and processes.",
    from: { path: `^${CORE}/`, pathNot: `^${CORE}/(${NODE_FOLDERS})/` },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "state-runs-in-a-browser",
    comment: "The ./state entry must not reach a Node built-in, over any number of files.",
    from: { path: `^${CORE}/state\\.ts$` },
    to: { reachable: true, path: "^(node:|fs$|path$|crypto$|child_process$|os$|net$|http$|https$|url$|util$|stream$)" },
  },
  {
    name: "app-uses-entries",
    comment: "app imports @margay/core by its four entries, never a file inside it.",
    from: { path: `^${APP}/` },
    to: { path: `^${CORE}/`, pathNot: `^${CORE}/(index|state|builtin|testing)\\.ts$` },
  },
  {
    name: "core-knows-no-app",
    comment: "core is the library; the product imports it, not the other way round.",
    from: { path: `^${CORE}/` },
    to: { path: "^(packages/(app|web)|plugins)/" },
  },
  {
    name: "plugins-get-objects",
    comment:
      "A plugin takes the types of @margay/core and nothing else of ours: the host hands it the rest. test/plugins.test.ts sees that types are all.",
    from: { path: "^plugins/([^/]+)/src/" },
    to: { path: "^(packages|plugins)/", pathNot: `^(plugins/$1/src/|${CORE}/index\\.ts$)` },
  },
  {
    name: "plugins-are-loaded",
    comment: "Plugins are imported when they are configured, by path; nobody imports one by name.",
    from: { path: "^packages/" },
    to: { path: "^plugins/" },
  },
  {
    name: "app-folders",
    comment:
      "app folders meet in compose.ts and the other root files; all may use i18n/ and the types of app.ts, only cli/ also config/.",
    from: { path: `^${APP}/([^/]+)/`, pathNot: `^${APP}/(cli|gateway)/` },
    to: { path: `^${APP}/`, pathNot: `^${APP}/($1/|i18n/|app\\.ts$)` },
  },
  {
    name: "app-cli",
    comment: "A command gets its services from compose.ts; it imports cli/, config/ and the texts of i18n/.",
    from: { path: `^${APP}/cli/` },
    to: { path: `^${APP}/[^/]+/`, pathNot: `^${APP}/(cli|config|doctor|i18n)/` },
  },
  {
    name: "app-gateway",
    comment: "The gateway is an outer layer as commands are; it knows neither them nor the terminal.",
    from: { path: `^${APP}/gateway/` },
    to: { path: `^${APP}/(cli|tui)/` },
  },
  {
    name: "web-is-a-browser",
    comment: "The pages know core by its ./state entry and the gateway by its types.",
    from: { path: `^${WEB}/` },
    to: { path: `^(${CORE}|${APP})/`, pathNot: `^(${CORE}/state\\.ts$|${APP}/gateway/schema/)` },
  },
  {
    name: "no-dev-tools-in-src",
    comment: "What src imports is listed in its package.json.",
    from: { path: "^(packages|plugins)/[^/]+/src/" },
    to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
  },
  ...Object.entries(PACKAGES).map(([name, places]) => ({
    name: `only-there-${name.replace(/[^a-z-]+/g, "-")}`,
    comment: `${name} is imported only from ${places.join(", ")}.`,
    from: { path: "^(packages|plugins)/[^/]+/src/", pathNot: places.map((place) => `^${place}`) },
    to: { path: `node_modules/${name}/` },
  })),
  {
    name: "listed-packages-only",
    comment: "A new npm package needs a row in .dependency-cruiser.mjs and a decision record.",
    from: { path: "^(packages|plugins)/[^/]+/src/" },
    to: {
      dependencyTypes: npm,
      pathNot: ["^(packages|plugins)/", ...Object.keys(PACKAGES).map((name) => `node_modules/${name}/`)],
    },
  },
];

export default {
  forbidden: rules.map((rule) => ({ severity: "error", ...rule })),
  options: {
    parser: "swc", // TypeScript 7 has no JS API: with the default parser 0 modules are cruised and all is "well"
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|fixtures)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["margay-source", "import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
