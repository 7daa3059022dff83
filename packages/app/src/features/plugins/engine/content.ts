/** The files of a plugin, read once: their hash is what is approved, and what was hashed is what runs. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { RuntimeError } from "@margay/core";
import { sha256 } from "@margay/core/internal";
import type { PluginPlace } from "../../../models/plugin-locate.ts";
import { type PluginManifest, readManifest } from "./manifest.ts";

export interface PluginContent {
  readonly hash: string;
  readonly files: number;
  readonly bytes: number;
  readonly manifest: PluginManifest;
  readonly code: string;
  /** As package.json says. */
  readonly license: string;
}

const MAX_PLUGIN_FILES = 2000;
const MAX_PLUGIN_BYTES = 32 * 1024 * 1024;
const MAX_CODE_BYTES = 4 * 1024 * 1024;

/** @throws RuntimeError `plugin.invalid`. */
export function readPlugin(place: PluginPlace): PluginContent {
  const no = (why: string): RuntimeError =>
    new RuntimeError("plugin.invalid", `The package ${place.package} cannot be used: ${why}. Ask its authors.`);
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
  const code = text(place.entry);
  if (code.length > MAX_CODE_BYTES) throw no(`its code is over ${MAX_CODE_BYTES / 1024 / 1024} MB`);
  const { license } = JSON.parse(text(join(place.folder, "package.json"))) as { license?: unknown }; // read by plugin-locate
  return {
    hash: sha256(JSON.stringify([...contents].map(([path, content]) => [path, sha256(content)]))),
    files: contents.size,
    bytes,
    manifest: readManifest(text(place.plugin ?? ""), place.package),
    code,
    license: typeof license === "string" ? license.slice(0, 80) : "",
  };
}
