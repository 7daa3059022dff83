/** Plugins listed, installed and removed: for `margay plugin`. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { makeDirectory, nearest, replaceFile, systemClock } from "@margay/core/internal";
import { KNOWN_PLUGINS, shortName } from "../../models/known-plugins.ts";
import { OUR_CHANNELS } from "../../config/channel-ids.ts";
import { loadChannelPlugin, loadPlugin } from "../../models/plugin-load.ts";
import { locatePackage, pluginsDirectory, type PluginPlace } from "../../models/plugin-locate.ts";
import { unpin } from "../../models/plugins/pin.ts";
import { readApproved } from "./engine/approvals.ts";
import { approveInside, type InsideReview, reviewInside, standingInside } from "./inside.ts";
import { npmArguments, runNpm } from "./npm.ts";
import { approveReviewed, forgetApproved, type PluginReview, reviewPlugin, standingOf } from "./review.ts";

export interface ListedPlugin {
  readonly package: string;
  /** Of the provider, or the kind of the channel; absent for a plugin of somebody else, which would have to be loaded to know. */
  readonly id?: string;
  readonly name?: string;
  /** Absent: not there. */
  readonly version?: string;
  readonly from?: PluginPlace["from"];
  /** Of what is installed. */
  readonly standing?: ReturnType<typeof standingOf>;
}

export interface ManageOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Called with the command before it runs. */
  readonly onCommand: (command: string) => void;
}

/** Providers and channels that we publish. */
const OURS = [...KNOWN_PLUGINS, ...OUR_CHANNELS.map(({ kind, ...channel }) => ({ ...channel, id: kind }))];

/** Ours first, then what else is installed. */
export function listPlugins(home: string): readonly ListedPlugin[] {
  const ours = OURS.map(({ id, name, package: packageName }): ListedPlugin => {
    const place = locatePackage(packageName, { home });
    return {
      ...{ package: packageName, id, name },
      ...(place !== undefined && { version: place.version, from: place.from }),
      ...(place?.home !== undefined && { standing: standingInside(place) }),
    };
  });
  const others = [...installed(home).keys()]
    .filter((name) => !OURS.some((plugin) => plugin.package === name))
    .map((name): ListedPlugin => {
      const place = locatePackage(name, { home });
      return {
        package: name,
        ...(place !== undefined && { version: place.version, from: place.from }),
        ...(place?.home !== undefined && {
          standing: place.plugin === undefined ? standingInside(place) : standingOf(home, place),
        }),
      };
    });
  return [...ours, ...others];
}

export interface Added {
  readonly package: string;
  readonly version: string;
  /** Of the provider, or the kind of the channel. */
  readonly id: string;
  readonly is: "provider" | "channel" | "tool" | "hook";
}

export interface AddOptions extends ManageOptions {
  readonly currentDirectory: string;
  /** A tool or a hook gets all rights of the user. */
  readonly trusted: boolean;
  /** Asked about what is somebody else's, as it was looked at. */
  readonly agrees: (found: PluginReview | InsideReview) => Promise<boolean>;
}

/**
 * Installs what `typed` names: one of our plugins, a folder or a tarball. What is no plugin is taken out again.
 * @returns undefined: the person did not agree, and it is not there any more. @throws RuntimeError `usage.wrong`, `plugin.failed`, `plugin.invalid`, `plugin.refused`.
 */
export async function addPlugin(typed: string, options: AddOptions): Promise<Added | undefined> {
  const { home } = options;
  const spec = specOf(typed, options.currentDirectory);
  const directory = prepare(home);
  const before = installed(home);
  await npm("install", spec, options);
  const name = newcomer(before, installed(home), spec);
  const place = name === undefined ? undefined : locatePackage(name, { home });
  try {
    if (place?.from !== "installed")
      throw new RuntimeError(
        "plugin.invalid",
        `${typed} has no file that can be loaded. Build it first, or choose another.`,
      );
    const loaded = { package: place.package, version: place.version };
    if (place.plugin !== undefined) {
      const review = await reviewPlugin(place, options.trusted, systemClock());
      if (!(await options.agrees(review))) return await takenOut(place.package, options);
      const { manifest } = await approveReviewed(home, review, systemClock().now());
      return { ...loaded, id: manifest.name, is: manifest.contract === "tool/1" ? "tool" : "hook" };
    }
    const isOurs = OURS.some((plugin) => plugin.package === place.package);
    const review = reviewInside(place);
    if (!isOurs && !(await options.agrees(review))) return await takenOut(place.package, options);
    await approveInside(place, review, systemClock().now());
    if (place.channel === undefined) return { ...loaded, id: (await loadPlugin(place)).id, is: "provider" };
    return { ...loaded, id: (await loadChannelPlugin(place)).kind, is: "channel" };
  } catch (error) {
    if (name !== undefined) {
      await runNpm(npmArguments("uninstall", name, directory), { ...options, directory });
      await unpin(home, name);
    }
    throw error;
  }
}

async function takenOut(name: string, options: ManageOptions): Promise<undefined> {
  const directory = pluginsDirectory(options.home);
  await runNpm(npmArguments("uninstall", name, directory), { ...options, directory });
  return undefined;
}

/** An installed plugin, by its package or its name. @throws RuntimeError `plugin.missing`. */
export function installedPlugin(typed: string, home: string): PluginPlace {
  const named = Object.values(readApproved(home)).find(({ manifest }) => manifest.name === typed)?.package;
  const names = [...installed(home).keys()];
  const name = named ?? names.find((one) => one === typed || matches(one, typed));
  const place = name === undefined ? undefined : locatePackage(name, { home });
  if (place?.home !== undefined) return place;
  throw new RuntimeError(
    "plugin.missing",
    `The plugin ${typed} is not installed. Installed: ${names.map(shortName).join(", ") || "none"}.`,
  );
}

/** @returns the name of the package that was removed. @throws RuntimeError `plugin.missing`, `plugin.failed`. */
export async function removePlugin(typed: string, options: ManageOptions): Promise<string> {
  const names = [...installed(options.home).keys()];
  const named = Object.values(readApproved(options.home)).find(({ manifest }) => manifest.name === typed)?.package;
  const name = named ?? names.find((one) => one === typed || matches(one, typed));
  if (name === undefined)
    throw new RuntimeError(
      "plugin.missing",
      `The plugin ${typed} is not installed. Installed: ${names.map(shortName).join(", ") || "none"}.`,
    );
  await npm("uninstall", name, options);
  await forgetApproved(options.home, name);
  await unpin(options.home, name);
  return name;
}

async function npm(action: "install" | "uninstall", what: string, options: ManageOptions): Promise<void> {
  const directory = pluginsDirectory(options.home);
  const args = npmArguments(action, what, directory);
  options.onCommand(["npm", ...args].join(" "));
  await runNpm(args, { ...options, directory });
}

/** A name of ours becomes its package; anything else must exist here, so that a slip of the finger installs no stranger. */
function specOf(typed: string, currentDirectory: string): string {
  const known = OURS.find((plugin) => matches(plugin.package, typed) || plugin.package === typed);
  if (known !== undefined) return known.package;
  const path = resolve(currentDirectory, typed);
  if (existsSync(path) && (statSync(path).isDirectory() || /\.t(?:ar\.)?gz$/.test(path))) return path;
  const names = OURS.map((plugin) => shortName(plugin.package));
  const near = nearest(typed, names);
  throw new RuntimeError(
    "usage.wrong",
    `There is no plugin, folder or tarball ${typed}.${near === undefined ? "" : ` Did you mean ${near}?`} Plugins: ${names.join(", ")}.`,
  );
}

/** `bedrock` and `provider-bedrock` for `@margay/provider-bedrock`. */
function matches(packageName: string, typed: string): boolean {
  const short = shortName(packageName);
  return (
    ["provider", "channel", "tool", "hook"].some(
      (what) => short === `${what}-${typed}` || packageName === `margay-${what}-${typed}`,
    ) || short === typed
  );
}

/** A package.json of its own keeps npm from looking for one further up. */
function prepare(home: string): string {
  const directory = pluginsDirectory(home);
  makeDirectory(directory);
  const manifest = join(directory, "package.json");
  if (!existsSync(manifest))
    replaceFile(manifest, `${JSON.stringify({ name: "margay-plugins", private: true, dependencies: {} }, null, 2)}\n`);
  return directory;
}

/** Package → what npm was asked to install. */
function installed(home: string): ReadonlyMap<string, string> {
  const manifest = join(pluginsDirectory(home), "package.json");
  if (!existsSync(manifest)) return new Map();
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8")) as { dependencies?: Record<string, string> }; // written by npm
  return new Map(Object.entries(dependencies));
}

/** The package npm has just saved; installing the same file again changes nothing there, but names it. */
function newcomer(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  spec: string,
): string | undefined {
  const entries = [...after];
  return (entries.find(([name, version]) => before.get(name) !== version) ??
    entries.find(([name, version]) => name === spec || version.endsWith(basename(spec))))?.[0];
}
