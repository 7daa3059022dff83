// What one answer needs, in one file: each file more costs its start half a millisecond to find, read and link.

/** Where the answer to one message begins; imported at first use, so that other commands don't load them. */
const ROOTS = [/[\\/]app[\\/]src[\\/](?:main|compose[\\/]compose|features[\\/]chat[\\/]command)\.ts$/];
/** Programs of their own; what they share with the rest stays apart, or each thread would load all of it. */
const THREADS = [/-worker\.ts$/];

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
    const start = [...below(ROOTS)].filter((id) => getModuleInfo(id)?.isEntry !== true);
    return new Map(start.map((id) => [id, apart.has(id) ? "shared" : "start"]));
  };
  const group = (name, priority) => ({ name, priority, test: (id) => chosen.get(id) === name });
  return {
    plugin: {
      name: "start-chunk",
      renderStart() {
        chosen = choose({ getModuleIds: () => this.getModuleIds(), getModuleInfo: (id) => this.getModuleInfo(id) });
      },
    },
    groups: [group("shared", 2), group("start", 1)],
  };
}

function closure(roots, getModuleInfo) {
  const seen = new Set(roots);
  for (const id of seen) for (const next of getModuleInfo(id)?.importedIds ?? []) seen.add(next);
  return seen;
}
