// Is what we made still what the sources say? Fingerprints of names, sizes and times. Node 20, built-ins only.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { root } from "./toolchain.mjs";

/** Files below `path` (or the file itself), sorted; generated and installed ones left out. */
export function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules" && entry.name !== "dist")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(join(path, entry.name)));
}

export function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => filesBelow(join(root, path)))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

export const stampFile = (name) => join(root, "node_modules", ".cache", "margay", name);

export function isFresh(name, print, outputs) {
  const file = stampFile(name);
  return (
    outputs.every((output) => existsSync(join(root, output))) &&
    existsSync(file) &&
    readFileSync(file, "utf8") === print
  );
}

export function stamp(name, print) {
  mkdirSync(dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), print);
}
