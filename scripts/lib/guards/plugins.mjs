// Plugins: what runs, what it reaches, and whose word its words are.

const TOOLS = "packages/app/test/plugins/tools.test.ts";
const HOOKS = "packages/app/test/plugins/hooks.test.ts";
const FENCE = "packages/app/test/plugins/fence.test.ts";
const ENGINE = "packages/app/src/features/plugins/engine";

export const PLUGIN_GUARDS = [
  {
    id: "plugins: code that imports is refused before it runs",
    file: "packages/app/src/features/plugins/review.ts",
    find: "const why = trusted ? undefined : checkBundle(content.code);",
    replace: "const why = undefined as string | undefined;",
    tests: [FENCE],
  },
  {
    id: "plugins: code that no look finds out has no modules and no globals that open anything",
    file: "packages/core/src/machine/plugins/plugin-process.ts",
    find: '...(trustedPath !== undefined && { MARGAY_PLUGIN_TRUSTED: "1" })',
    replace: 'MARGAY_PLUGIN_TRUSTED: "1"',
    tests: [FENCE],
  },
  {
    id: "plugins: what runs is what was approved",
    file: `${ENGINE}/begin.ts`,
    find: "content.hash === plugin.hash ?",
    replace: "content.hash !== '' ?",
    tests: [TOOLS],
  },
  {
    id: "plugins: results are a stranger's text",
    file: `${ENGINE}/plugin-tools.ts`,
    find: "options.manifest.pure ? marked : asUntrusted(marked)",
    replace: "marked",
    tests: [TOOLS],
  },
  {
    id: "plugins: only the hosts of the manifest",
    file: `${ENGINE}/answers.ts`,
    find: "const isListed = known !== undefined && entryFor(known, port, hosts) !== undefined;",
    replace: "const isListed = known !== '' || hosts.length > port;",
    tests: [TOOLS],
  },
  {
    id: "plugins: nothing that says who the agent is is written by one",
    file: `${ENGINE}/answers.ts`,
    find: 'if (classifyPath(context.workspace, path, [home]) !== "inside")',
    replace: 'if (classifyPath(context.workspace, path, [home]) === "state")',
    tests: [TOOLS],
  },
  {
    id: "plugins: a blob that the call did not put there is none",
    file: `${ENGINE}/offer.ts`,
    find: " || !kept.has(sha256)",
    replace: "",
    tests: [TOOLS],
  },
  {
    id: "plugins: hosts and commands decide what a call reaches",
    file: `${ENGINE}/manifest.ts`,
    find: 'ORDER[Math.max(ORDER.indexOf(given), ORDER.indexOf(own ?? "local"))] ?? given',
    replace: "own ?? given",
    tests: [FENCE],
  },
  {
    id: "plugins: a hook denies",
    file: "packages/core/src/loop/tool-step.ts",
    find: "const verdict = (said && hookVerdict(said)) ?? ruled;",
    replace: "const verdict = (said && hookVerdict({ notes: [] })) ?? ruled;",
    tests: [HOOKS],
  },
  {
    id: "plugins: a hook that could deny and failed has denied",
    file: `${ENGINE}/plugin-hooks.ts`,
    find: "...(mayDeny && { denied: { plugin, reason: messageOf(error) } })",
    replace: "...(mayDeny && messageOf(error) === '' && { denied: { plugin, reason: '' } })",
    tests: [HOOKS],
  },
  {
    id: "plugins: a note is a stranger's text",
    file: "packages/core/src/hooks/hooks.ts",
    find: '      integrity: "untrusted",\n',
    replace: "",
    tests: [HOOKS],
  },
  {
    id: "plugins: a provider or a channel that has changed is not imported",
    file: "packages/app/src/models/plugins/pin.ts",
    find: "readWithDependencies(place).hash === pin.hash",
    replace: 'readWithDependencies(place).hash !== ""',
    tests: ["packages/app/test/plugins/pins.test.ts"],
  },
  {
    id: "plugins: a call has the settings that its manifest names, and no others",
    file: `${ENGINE}/plugin-tools.ts`,
    find: "const named = [...settings, ...secrets].flatMap((key) => {",
    replace: "const named = (settings === secrets ? [] : Object.keys(all)).flatMap((key) => {",
    tests: [TOOLS],
  },
];
