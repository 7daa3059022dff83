// What one answer needs, in two files: each file more costs its start half a millisecond to find, read and link. The first one has
// what a command needs that asks a process that runs; the second one has the agent.
import { dirname, resolve } from "node:path";

/** The command line, and the command that answers one message: at the holder of the state directory when there is one. */
const CLIENT = [/[\\/]app[\\/]src[\\/](?:main|features[\\/]chat[\\/]command)\.ts$/];
/** Imported at first use, so that other commands don't load them. */
const AGENT = [/[\\/]app[\\/]src[\\/]compose[\\/]compose\.ts$/];
/** Where a gateway and a terminal go on from there: scripts too (hot-chunks.mjs), with all that they import. */
const GOES_ON =
  /[\\/]app[\\/]src[\\/](?:features[\\/](?:gateway[\\/](?:command|start-gateway)|chat[\\/]start-chat)|compose[\\/]surface)\.ts$/;
/** What a start with plugins has of them, in one file: what runs them comes when one is used. */
const PLUGINS =
  /[\\/](?:plugins[\\/](?:fault|approvals-file)|features[\\/]plugins[\\/]engine[\\/](?:approvals|plugins|plugin-tools))\.ts$/;
/** Their processes; a gateway without plugins has no use for it. */
const PLUGIN_PROCESS = /[\\/]machine[\\/]plugins[\\/](?:plugin-process|frames)\.ts$/;
/** Programs of their own; what they share with the rest stays apart, or each thread would load all of it. */
const THREADS = [/-worker\.ts$/];
/** Only names: who imports from them needs the files that have these names, and no others. */
const BARRELS = /[\\/]core[\\/]src[\\/](?:index|internal|builtin|state|internal-state)\.ts$/;

/** For the bundler's `codeSplitting`. */
export function startChunk() {
  let chosen = new Map();
  const choose = ({ getModuleIds, getModuleInfo }) => {
    const ids = [...getModuleIds()];
    const below = (roots) =>
      closure(
        ids.filter((id) => roots.some((root) => root.test(id))),
        getModuleInfo,
      );
    const apart = below(THREADS);
    const client = below(CLIENT);
    const start = [...client, ...below(AGENT)].filter((id) => getModuleInfo(id)?.isEntry !== true);
    return new Map(start.map((id) => [id, apart.has(id) ? "shared" : client.has(id) ? "client" : "start"]));
  };
  const group = (name, priority) => ({
    name,
    priority,
    includeDependenciesRecursively: false,
    test: (id) => chosen.get(id) === name,
  });
  return {
    plugin: {
      name: "start-chunk",
      // Nor does a chunk import what nobody there names.
      transform: {
        filter: { id: [BARRELS, PLUGINS, PLUGIN_PROCESS] },
        handler: (code) => ({ code, moduleSideEffects: false }),
      },
      renderStart() {
        chosen = choose({ getModuleIds: () => this.getModuleIds(), getModuleInfo: (id) => this.getModuleInfo(id) });
      },
    },
    /** Whether a chunk is one of the three, or what begins or goes on with them. */
    isStart: ({ name, isEntry, facadeModuleId, moduleIds = [] }) =>
      (isEntry && name === "main") ||
      GOES_ON.test(facadeModuleId ?? "") ||
      moduleIds.some((id) => chosen.get(id) === name),
    groups: [
      group("shared", 3),
      group("client", 2),
      group("start", 1),
      { ...group("plugins", 1), test: PLUGINS },
      { ...group("plugin-process", 1), test: PLUGIN_PROCESS },
    ],
  };
}

function closure(roots, getModuleInfo) {
  const seen = new Set(roots);
  for (const id of seen) for (const next of importsOf(id, getModuleInfo)) seen.add(next);
  return seen;
}

/** Static imports; of a barrel, where the imported names are. */
function importsOf(id, getModuleInfo) {
  const { importedIds = [], code } = getModuleInfo(id) ?? {};
  const barrels = importedIds.filter((next) => BARRELS.test(next));
  if (barrels.length === 0) return importedIds;
  const names = ["import", "export"].flatMap((keyword) =>
    namesIn(code ?? "", keyword, 0).flatMap(([given, from]) => (isBarrel(from) ? given : [])),
  );
  const found = names.map((name) => barrels.map((barrel) => homeOf(name, barrel, getModuleInfo)).find(Boolean));
  const lost = names.filter((_, at) => found[at] === undefined);
  if (lost.length > 0) throw new Error(`start-chunk: ${id} imports ${lost.join(", ")}, which no barrel names.`);
  return [...importedIds.filter((next) => !BARRELS.test(next)), ...found];
}

/** The file that a barrel exports a name from. */
function homeOf(name, barrel, getModuleInfo) {
  const [, from] =
    namesIn(getModuleInfo(barrel)?.code ?? "", "export", -1).find(([names]) => names.includes(name)) ?? [];
  if (from === undefined) return undefined;
  const home = resolve(dirname(barrel), from);
  return BARRELS.test(home) ? homeOf(name, home, getModuleInfo) : home;
}

function isBarrel(from) {
  return from.startsWith("@margay/core") || BARRELS.test(from);
}

/** `import { a, b as c } from "x"` → [[["a", "b"], "x"]] at side 0, [[["a", "c"], "x"]] at side -1. Types have no file at run time. */
function namesIn(code, keyword, side) {
  const list = (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "" && !item.startsWith("type "))
      .map((item) => item.split(/\s+as\s+/).at(side));
  const statements = new RegExp(`^${keyword}\\s*\\{([^}]*)\\}\\s*from\\s*["']([^"']+)["']`, "gm");
  return [...code.matchAll(statements)].map(([, names, from]) => [list(names), from]);
}
