/** Where the package of a plugin, a provider or a channel, is: installed in the state directory, or a workspace of the checkout we run from. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPlugin } from "./known-plugins.ts";

export interface PluginPlace {
  readonly package: string;
  readonly version: string;
  /** The file that is imported. */
  readonly entry: string;
  /** `beside`: found as Node finds packages, in a checkout or beside an installed margay. */
  readonly from: "installed" | "beside";
  /** The folder of the package. */
  readonly folder: string;
  /** The state directory it is installed in. Absent: it came with margay. */
  readonly home?: string;
  /** The manifest of a channel. */
  readonly channel?: string;
  /** The manifest of a tool or a hook. Both absent: a provider. */
  readonly plugin?: string;
}

export interface LookOptions {
  /** The state directory. */
  readonly home?: string | undefined;
  /** Where a look beside us starts. */
  readonly base?: string;
}

export function pluginsDirectory(home: string): string {
  return join(home, "plugins");
}

/** Which plugins a person approved. Absent: none. */
export const APPROVED_DOC = "plugins/approved.json";

/** The package for a provider's id: one of ours, or `margay-provider-ID` of somebody else. */
export function locateProvider(id: string, options: LookOptions): PluginPlace | undefined {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(id)) return undefined;
  const names = [findPlugin(id)?.package ?? `@margay/provider-${id}`, `margay-provider-${id}`];
  return names.map((name) => locatePackage(name, options)).find((place) => place !== undefined);
}

export function locatePackage(name: string, { home, base }: LookOptions): PluginPlace | undefined {
  const installed = home === undefined ? undefined : installedFolder(home, name);
  if (installed !== undefined && existsSync(join(installed, "package.json"))) return place(installed, home);
  const beside = findBeside(name, base ?? import.meta.url);
  return beside === undefined ? undefined : place(dirname(beside), undefined);
}

export function installedFolder(home: string, name: string): string {
  return join(pluginsDirectory(home), "node_modules", ...name.split("/"));
}

/** As Node looks for packages, by hand: its own search loads a resolver, 4 ms of every start with a provider of one's own. */
function findBeside(name: string, base: string): string | undefined {
  for (let folder = dirname(fileURLToPath(base)); ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", ...name.split("/"), "package.json");
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

function place(folder: string, home: string | undefined): PluginPlace | undefined {
  const real = realpathSync(folder); // a workspace is a link; Node strips no types below node_modules
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(real, "package.json"), "utf8"));
    const { name, version, main, exports, margay } = record(manifest);
    const entry = entriesOf(exports, main).find((file) => existsSync(join(real, file)));
    if (entry === undefined || typeof name !== "string" || typeof version !== "string") return undefined;
    const { channel, plugin } = record(margay);
    return {
      package: name,
      version,
      entry: join(real, entry),
      from: home === undefined ? "beside" : "installed",
      folder: real,
      ...(home !== undefined && { home }),
      ...(typeof plugin === "string" && { plugin: join(real, plugin) }),
      ...(typeof channel === "string" && { channel: join(real, channel) }),
    };
  } catch {
    return undefined; // A package.json that is none: not a plugin.
  }
}

/**
 * Best first. Sources are there in a checkout only, and are for who runs from sources: to strip their types holds the event loop
 * of a built program for a tenth of a second.
 */
function entriesOf(exports: unknown, main: unknown): readonly string[] {
  const root = typeof exports === "object" && exports !== null && "." in exports ? exports["."] : exports;
  const targets = typeof root === "string" ? { default: root } : record(root);
  const sources = [targets["margay-source"]];
  const built = [targets["import"], targets["default"], main, "index.js"];
  const all = import.meta.url.endsWith(".ts") ? [...sources, ...built] : [...built, ...sources];
  return all.filter((file) => typeof file === "string");
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
