/**
 * Runs the chunks that a start needs, with what V8 compiled of them when they ran before (decision 0097). Node's own cache is made
 * before a module runs, and most functions are compiled at their first call: each start would compile some 1,500 of them anew.
 * Nothing is imported: what stands here comes before everything.
 */
const { readFileSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { Script } = process.getBuiltinModule("node:vm");

/** How long a process that stays may run before what it compiled is kept. */
const SETTLED_MS = 5000;

/** Each has a cache of its own, which holds what it calls and no more. */
const KINDS = ["agent", "gateway"];

type Exported = Readonly<Record<string, unknown>>;
/** As the build writes a chunk (`scripts/lib/hot-chunks.mjs`). */
type Wrapped = (chunk: (file: string) => Exported, load: typeof importHere, meta: ImportMeta) => Exported;

/** What a chunk exports, by its path. */
const given = new Map<string, Exported>();
/** Whose compiled code is not on disk yet, and where it belongs. */
const unkept: { readonly script: InstanceType<typeof Script>; readonly path: string }[] = [];
/** Only its owner writes there, or a stranger could plant code: see the launcher. Undefined: whoever started us keeps no code. */
const directory = process.getBuiltinModule("node:module").getCompileCacheDir();
const kind = KINDS.find((command) => process.argv.includes(command)) ?? "other";

if (directory !== undefined) {
  process.on("exit", keep);
  AbortSignal.timeout(SETTLED_MS).addEventListener("abort", keep); // does not hold the process open
}

/** Runs a chunk when it is first asked for. @returns what it exports. @param meta Of the module that asks, in the same folder. */
export function chunk(file: string, meta: ImportMeta): Exported {
  const path = `${meta.dirname}/${file}`;
  const known = given.get(path);
  if (known !== undefined) return known;
  // The build writes ASCII alone: one byte for each character, here and in V8.
  const script = compiled(path, readFileSync(path, "latin1"), directory && `${directory}/${file}.${kind}`);
  const wrapped = script.runInThisContext() as Wrapped; // as the build wrote it
  const exported = wrapped((other) => chunk(other, meta), importHere, meta);
  given.set(path, exported);
  return exported;
}

/** As `import()` in a module beside this one: all chunks are in one folder. */
function importHere(specifier: string, options?: ImportCallOptions): Promise<unknown> {
  return import(specifier, options);
}

/** V8 looks whether the code is of this very version, of these flags, and of a source of this length; the name says the rest. */
function compiled(filename: string, source: string, path: string | undefined): InstanceType<typeof Script> {
  const cachedData = path === undefined ? undefined : readIfExists(path);
  const script = new Script(source, { filename, cachedData });
  if (path !== undefined && script.cachedDataRejected !== false) unkept.push({ script, path });
  return script;
}

function keep(): void {
  if (unkept.length === 0) return;
  // V8 stamps what it compiled with its flags of now, and a start refuses other ones than its own: see `keepHeapSmall`.
  const flags = process.getBuiltinModule("node:v8").cachedDataVersionTag().toString(16);
  if (directory?.includes(`-${flags}-`) !== true) return;
  for (const { script, path } of unkept.splice(0)) {
    try {
      const part = `${path}.${process.pid}`;
      writeFileSync(part, script.createCachedData(), { mode: 0o600 });
      renameSync(part, path);
    } catch {
      // a full disk, or one that is not ours: the next start compiles again
    }
  }
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // nothing was kept yet
  }
}
