// Who may import whom: the layers of AGENTS.md as rules. `npm run check` also asserts that every source file was seen.
const CORE = "packages/core/src";
const APP = "packages/app/src";
const WEB = `${APP}/web`;
const PAGES = `${APP}/features/[^/]+/page`;

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
  hooks: [],
  journal: ["machine"],
  session: ["journal"],
  transcript: ["session", "journal"],
  facts: ["session", "journal"],
  context: ["personas"],
  wires: ["model"],
  bridge: ["model", "wires"],
  loop: ["session", "context", "tools", "channels", "hooks"],
  people: ["session"],
  channels: ["machine"],
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
const NODE_FOLDERS = "channels|machine|journal|memory|skills|audit|undo|labels|builtin|testing";
/** What each folder of the program may import beside itself and core. */
const APP_ALSO = {
  protocol: ["config"],
  texts: [],
  config: ["texts"],
  models: ["config", "texts"],
};
const APP_TYPES = `^${APP}/app\\.ts$`;
/** Texts of one language: no code. `texts/translate.ts` is their sum. */
const CATALOG = `^${APP}/.*\\.(en|zh)\\.ts$`;
/** Types of what a feature says over HTTP. */
const SCHEMA = `^${APP}/features/[^/]+/[^/]*schema\\.ts$`;

/** Which npm package may be imported from where. A package that is not here may be imported nowhere in src. */
const PACKAGES = {
  "@ai-sdk/provider": [`${CORE}/bridge/`],
  "@cfworker/json-schema": [`${CORE}/tools/`],
  croner: [`${CORE}/schedule/`],
  tokenx: [`${CORE}/context/`],
  yaml: [`${CORE}/skills/`],
  "@ai-sdk/amazon-bedrock": ["plugins/provider-bedrock/src/"],
  grammy: ["plugins/channel-telegram/src/"], // its types alone
  "(html-to-text|imapflow|libmime|nodemailer|pino|postal-mime|socks)": ["plugins/channel-email/src/"],
  "@xmpp/client": ["plugins/channel-xmpp/src/"],
  aws4fetch: [`${APP}/features/backup/targets/`],
  commander: [`${APP}/host/cli/`, `${APP}/main\\.ts$`],
  "@clack/prompts": [`${APP}/host/cli/`, `${APP}/features/onboard/`],
  "@earendil-works/pi-tui": [`${APP}/host/tui/`],
  "@modelcontextprotocol/client": [`${APP}/features/mcp/client/`],
  "jsonc-parser": [`${APP}/config/`],
  uqr: [`${APP}/host/api/`],
  json5: [`${APP}/features/import-home/`],
  defuddle: [`${CORE}/builtin/web/`],
  linkedom: [`${CORE}/builtin/web/`],
  zod: [`${APP}/(protocol|host|features|web)/`],
  ws: [`${APP}/host/`, `${APP}/features/seed-protocol/`],
  "(markdown-it|markdown-it-cjk-friendly)": [`${CORE}/channels/markup/`, `${WEB}/`, `${PAGES}/`],
  "(preact|@preact/signals|@preact/signals-core|remend|@tanstack/virtual-core|highlight\\.js|katex|uplot|mermaid|diff|vite)":
    [`${WEB}/`, `${PAGES}/`],
};

export const layers = [
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
      pathNot: `^${CORE}/(${["contract", "lib", folder, ...ALSO[folder]].join("|")})/`,
    },
  })),
  {
    name: "testing-is-for-tests",
    comment: "Nothing but the entry and tests imports testing/.",
    from: { pathNot: `^(${CORE}/(internal-)?testing(/|\\.ts$)|(packages|plugins)/[^/]+/test/|test/|examples/)` },
    to: { path: `^${CORE}/(internal-)?testing(/|\\.ts$)` },
  },
  {
    name: "node-built-ins",
    comment: "The machine is reached through machine/ and the folders that are files and processes.",
    from: { path: `^${CORE}/`, pathNot: `^${CORE}/(${NODE_FOLDERS})/` },
    to: { kinds: ["core"] },
  },
  {
    name: "state-runs-in-a-browser",
    comment: "The ./state entry must not reach a Node built-in, over any number of files.",
    from: { path: `^${CORE}/(internal-)?state\\.ts$` },
    to: { reachable: true, path: "^node:" },
  },
  {
    name: "loop-is-pure",
    comment: "What decides in a turn must not reach a Node built-in when it runs, over any number of files.",
    from: { path: `^${CORE}/(contract|lib|personas|view|policy|tools|model|context|loop)/` },
    to: { reachable: true, running: true, path: "^node:" },
  },
  {
    name: "wires-are-ours",
    comment:
      "A request is encoded and its answer decoded by ourselves; foreign models come through bridge/, which needs model/.",
    from: { path: `^${CORE}/(model|wires)/` },
    to: { reachable: true, path: `^${CORE}/bridge/|@ai-sdk/` },
  },
  {
    name: "app-uses-entries",
    comment:
      "app imports @margay/core by its four entries and what is internal to the workspace, never a file inside it.",
    from: { path: `^${APP}/` },
    to: {
      path: `^${CORE}/`,
      pathNot: `^${CORE}/(index|state|builtin|testing|internal|internal-state|internal-testing)\\.ts$`,
    },
  },
  {
    name: "core-knows-no-app",
    comment: "core is the library; the product imports it, not the other way round.",
    from: { path: `^${CORE}/` },
    to: { path: "^(packages/app|plugins)/" },
  },
  {
    name: "plugins-get-objects",
    comment:
      "A plugin takes the types of @margay/core and nothing else of ours: the host hands it the rest. test/plugins.test.ts sees that types are all.",
    from: { path: "^plugins/([^/]+)/src/" },
    to: { path: "^(packages|plugins)/", pathNot: `^(plugins/$1/(src/|[^/]+\\.json$)|${CORE}/(index|plugin)\\.ts$)` },
  },
  {
    name: "plugins-are-loaded",
    comment: "Plugins are imported when they are configured, by path; nobody imports one by name.",
    from: { path: "^packages/" },
    to: { path: "^plugins/" },
  },
  ...Object.entries(APP_ALSO).map(([folder, also]) => ({
    name: `app-${folder}`,
    comment: `${folder}/ of the program may import ${["itself", ...also].join(", ")} and core.`,
    from: { path: `^${APP}/${folder}/` },
    to: {
      path: `^${APP}/`,
      pathNot: [`^${APP}/(${[folder, ...also].join("|")})/`, APP_TYPES, ...(folder === "texts" ? [CATALOG] : [])],
    },
  })),
  {
    name: "app-host",
    comment: "host/ is the frame: it knows protocol/, config/, texts/, models/ and core, and no feature.",
    from: { path: `^${APP}/host/` },
    to: { path: `^${APP}/`, pathNot: [`^${APP}/(host|protocol|config|texts|models)/`, SCHEMA, APP_TYPES] },
  },
  {
    name: "app-host-without-a-terminal",
    comment: "What serves requests knows neither the command line nor the terminal.",
    from: { path: `^${APP}/host/(http|api|auth|live|sessions|settings|control)/` },
    to: { path: `^${APP}/host/(cli|tui)/` },
  },
  {
    name: "app-features",
    comment:
      "A feature is one folder: it knows host/, protocol/, config/, texts/, models/ and core, and no other feature but its schema.",
    from: { path: `^${APP}/features/([^/]+)/`, pathNot: `^${PAGES}/` },
    to: {
      path: `^${APP}/`,
      pathNot: [`^${APP}/features/$1/(?!page/)`, `^${APP}/(host|protocol|config|texts|models)/`, SCHEMA, APP_TYPES],
    },
  },
  {
    name: "app-pages",
    comment: "A page knows its own folder, the frame of the pages, types of schemas, and core by its ./state entry.",
    from: { path: `^${APP}/features/([^/]+)/page/` },
    to: {
      path: `^(${CORE}|${APP})/`,
      pathNot: [
        `^${APP}/features/$1/page/`,
        `^${WEB}/(?!shell/)`,
        SCHEMA,
        `^${APP}/protocol/`,
        `^${CORE}/(internal-)?state\\.ts$`,
      ],
    },
  },
  {
    name: "app-web",
    comment:
      "The frame of the pages knows types of schemas and core by its ./state entry; pages.tsx alone imports the pages.",
    from: { path: `^${WEB}/`, pathNot: `^${WEB}/pages\\.tsx$` },
    to: {
      path: `^(${CORE}|${APP})/`,
      pathNot: [`^${WEB}/`, SCHEMA, `^${APP}/protocol/`, `^${CORE}/(internal-)?state\\.ts$`],
    },
  },
  {
    name: "pages-run-in-a-browser",
    comment:
      "Pages and their frame must not reach a Node built-in or zod, over any number of files: of a schema they know the types.",
    from: { path: [`^${WEB}/`, `^${PAGES}/`] },
    to: { reachable: true, running: true, path: ["^node:", "node_modules/zod/"] },
  },
  {
    name: "app-schemas",
    comment: "Others import schemas: a schema must not lead to what a feature does.",
    from: { path: SCHEMA },
    to: { path: `^${APP}/`, pathNot: [SCHEMA, `^${APP}/(host|protocol|config|texts|models)/`] },
  },
  {
    name: "app-types-only",
    comment: "app.ts may be imported by everybody: it holds types, and nothing of it is there when the program runs.",
    from: { path: APP_TYPES },
    to: { running: true, path: "" },
  },
  {
    name: "app-compose",
    comment: "compose/ constructs everything but pages.",
    from: { path: `^${APP}/compose/` },
    to: { path: [`^${PAGES}/`, `^${WEB}/`] },
  },
  {
    name: "app-root-files",
    comment: "Nobody imports a root file but another one, and the types of app.ts.",
    from: { path: `^${APP}/[^/]+/` },
    to: { path: `^${APP}/[^/]+\\.ts$`, pathNot: APP_TYPES },
  },
  {
    name: "no-dev-tools-in-src",
    comment: "What src imports is listed in its package.json.",
    from: { path: "^(packages|plugins)/[^/]+/src/" },
    to: { kinds: ["npm-no-pkg"] },
  },
  ...Object.entries(PACKAGES).map(([name, places]) => ({
    name: `only-there-${name.replace(/[^a-z-]+/g, "-")}`,
    comment: `${name} is imported only from ${places.join(", ")}.`,
    from: { path: "^(packages|plugins)/[^/]+/src/", pathNot: places.map((place) => `^${place}`) },
    to: { path: `node_modules/${name}/` },
  })),
  {
    name: "listed-packages-only",
    comment: "A new npm package needs a row in scripts/lib/graph/layers.mjs and a decision record.",
    from: { path: "^(packages|plugins)/[^/]+/src/" },
    to: {
      kinds: ["npm", "npm-no-pkg", "unresolved"],
      pathNot: ["^(packages|plugins)/", ...Object.keys(PACKAGES).map((name) => `node_modules/${name}/`)],
    },
  },
];
