// Each bound of the product is shown at n and at one more by a test that names it in its title: `file/MAX_NAME`, with the folder before it
// where other files have that name.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (pattern: string): readonly (readonly [string, string])[] =>
  globSync(pattern, { cwd: root }).map((path) => [path, readFileSync(join(root, path), "utf8")]);

const bounds = read("packages/*/src/**/*.{ts,tsx}")
  .filter(([path]) => !path.includes("/testing/"))
  .flatMap(([path, text]) =>
    [...text.matchAll(/^\s*(?:export )?const (MAX_\w+)/gm)].map(([, name]) => `${path.replace(/\.tsx?$/, "")}/${name}`),
  )
  .toSorted();

const named = new Set(
  read("packages/*/test/**/*.test.ts").flatMap(([, text]) => text.match(/(?<![\w/-])(?:[a-z-]+\/)+MAX_\w+/g) ?? []),
);

/** Without a test yet: a list that only becomes shorter. */
const UNSHOWN: readonly string[] = [
  "attribution/MAX_ENTRIES", // so many files take 20 s to make: undo.test.ts shows what happens beyond a smaller number
  "below/MAX_LOOKED", // so many files take 20 s to make
  "connect/MAX_FORGOTTEN", // nobody can tell a conversation that was forgotten from one that was collected
  "follow-files/MAX_FILE_BYTES", // 4 GiB take seconds to read, and are looked at every 64 MB
  "lock/MAX_ATTEMPTS", // only a race leads to another attempt
  "page-reader/MAX_MEMORY_MB", // of a thread, which has no exact end
  "process-tag/MAX_ENDED", // only processes of others that end while they are looked at count
  "safe-files/MAX_LOOKS", // only a race leads to another look
  "search-tree/MAX_ENTRIES", // so many files take 20 s to make
  "space-watch/MAX_FILES", // so many files take 10 s to make
];

const boundsOf = (name: string): readonly string[] => bounds.filter((bound) => bound.endsWith(`/${name}`));

test("a bound of the product has a test that names it", () => {
  const shown = new Set([...named, ...UNSHOWN].flatMap(boundsOf));
  expect(bounds.filter((bound) => !shown.has(bound))).toEqual([]);
  expect(UNSHOWN.filter((name) => named.has(name))).toEqual([]);
});

test("a test names one bound", () => {
  expect([...named, ...UNSHOWN].filter((name) => boundsOf(name).length !== 1)).toEqual([]);
});
