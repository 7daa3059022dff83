/** Documents in memory, with revisions that count: what a table does. */
import type { Doc, Docs } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

/** Shared by all that are opened on it. */
export interface DocTable {
  readonly rows: Map<string, Doc>;
  readonly watchers: Set<(name: string) => void>;
  count: number;
}

export function docTable(): DocTable {
  return { rows: new Map(), watchers: new Set(), count: 0 };
}

export function memoryDocs(table: DocTable = docTable()): Docs {
  const { rows, watchers } = table;
  const peek: Docs["peek"] = (name) => rows.get(name);
  const change = (name: string, ifRev: number, make: () => void): void => {
    if ((peek(name)?.rev ?? 0) !== ifRev)
      throw new RuntimeError("doc.conflict", `${name} was changed by somebody else at this moment.`);
    make();
    for (const told of watchers) told(name);
  };
  const fits = (prefix: string, name: string): boolean =>
    name.startsWith(prefix) && !name.slice(prefix.length).includes("/");
  return {
    peek,
    read: async (name) => peek(name),
    write: async (name, body, ifRev) => {
      const rev = ++table.count;
      change(name, ifRev, () => rows.set(name, { body, rev, at: rev }));
      return rev;
    },
    remove: async (name, ifRev) => change(name, ifRev === 0 ? -1 : ifRev, () => rows.delete(name)),
    list: async (prefix) => [...rows.keys()].filter((name) => fits(prefix, name)).toSorted(),
    watch: (prefix, changed) => {
      const told = (name: string): void => {
        if (fits(prefix, name)) changed(name);
      };
      watchers.add(told);
      return { [Symbol.dispose]: () => void watchers.delete(told) };
    },
  };
}
