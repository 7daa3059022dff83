/** The files of an installed package, read once: their hash is what is approved. */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { RuntimeError } from "@margay/core";
import { isRecord, parseJson, sha256 } from "@margay/core/internal";
import type { PluginPlace } from "../plugin-locate.ts";

export interface PackageContent {
  readonly hash: string;
  readonly files: number;
  readonly bytes: number;
  /** As package.json says. */
  readonly license: string;
  /** Of a file, by its whole path; empty: there is none. */
  text(path: string): string;
}

const MAX_PLUGIN_FILES = 2000;
const MAX_PLUGIN_BYTES = 32 * 1024 * 1024;

/** @throws RuntimeError `plugin.invalid`: too much, or something that is no file. */
export function readPackage(place: Pick<PluginPlace, "folder" | "package">): PackageContent {
  const no = (why: string): RuntimeError => notUsable(place, why);
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  const read = (folder: string): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) {
        if (name !== "node_modules" || folder !== place.folder) read(path);
        continue;
      }
      if (!stats.isFile()) throw no(`${relative(place.folder, path)} is no regular file`);
      bytes += stats.size;
      if (bytes > MAX_PLUGIN_BYTES) throw no(`it is over ${MAX_PLUGIN_BYTES / 1024 / 1024} MB`);
      if (contents.size === MAX_PLUGIN_FILES) throw no(`it has more than ${MAX_PLUGIN_FILES} files`);
      contents.set(relative(place.folder, path), readFileSync(path));
    }
  };
  read(place.folder);
  const text = (path: string): string => contents.get(relative(place.folder, path))?.toString("utf8") ?? "";
  const { license } = JSON.parse(text(join(place.folder, "package.json"))) as { license?: unknown }; // read by plugin-locate
  return {
    hash: sha256(JSON.stringify([...contents].map(([path, content]) => [path, sha256(content)]))),
    files: contents.size,
    bytes,
    license: typeof license === "string" ? license.slice(0, 80) : "",
    text,
  };
}

export function notUsable(place: Pick<PluginPlace, "package">, why: string): RuntimeError {
  return new RuntimeError("plugin.invalid", `The package ${place.package} cannot be used: ${why}. Ask its authors.`);
}

/** The package and all that it imports: what a provider or a channel runs. @throws as `readPackage`. */
export function readWithDependencies(place: PluginPlace): PackageContent {
  const own = readPackage(place);
  const all = [...below(place.folder)].toSorted().map((folder) => readPackage({ folder, package: place.package }));
  if (all.length === 0) return own;
  const sum = (of: "files" | "bytes"): number => all.reduce((total, one) => total + one[of], own[of]);
  return {
    ...own,
    hash: sha256(JSON.stringify([own, ...all].map(({ hash }) => hash))),
    files: sum("files"),
    bytes: sum("bytes"),
  };
}

/** Folders of the packages that it depends on, and those of these, found as Node finds them. */
function below(folder: string): ReadonlySet<string> {
  const found = new Set<string>();
  collect(folder, found);
  found.delete(folder);
  return found;
}

function collect(from: string, found: Set<string>): void {
  const manifest = parseJson(readFileSync(join(from, "package.json"), "utf8"));
  const { dependencies, optionalDependencies } = isRecord(manifest) ? manifest : {};
  for (const names of [dependencies, optionalDependencies])
    for (const name of isRecord(names) ? Object.keys(names) : []) {
      const folder = dependency(from, name);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      collect(folder, found);
    }
}

function dependency(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", ...name.split("/"));
    if (existsSync(join(path, "package.json"))) return realpathSync(path);
    if (folder === dirname(folder)) return undefined;
  }
}
