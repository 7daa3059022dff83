/** A tool or hook plugin, read once: what was hashed is what runs. */
import type { PluginPlace } from "../../../models/plugin-locate.ts";
import { notUsable, type PackageContent, readPackage } from "../../../models/plugins/package-content.ts";
import { type PluginManifest, readManifest } from "./manifest.ts";

export interface PluginContent extends PackageContent {
  readonly manifest: PluginManifest;
  readonly code: string;
}

const MAX_CODE_BYTES = 4 * 1024 * 1024;

/** @throws RuntimeError `plugin.invalid`. */
export function readPlugin(place: PluginPlace): PluginContent {
  const content = readPackage(place);
  const code = content.text(place.entry);
  if (code.length > MAX_CODE_BYTES) throw notUsable(place, `its code is over ${MAX_CODE_BYTES / 1024 / 1024} MB`);
  return { ...content, code, manifest: readManifest(content.text(place.plugin ?? ""), place.package) };
}
