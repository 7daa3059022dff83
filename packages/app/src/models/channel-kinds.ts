/** The kinds of channels that are plugins: what their manifests say, read without any of their code. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@margay/core";
import type { ChannelCan } from "@margay/core/internal";
import { isRecord, parseJson } from "@margay/core/internal";
import { OUR_CHANNELS } from "../config/channel-ids.ts";
import { installedFolder, locatePackage, type LookOptions, type PluginPlace } from "./plugin-locate.ts";

/** How a kind is set up and what it can do. */
export interface ChannelManifest {
  readonly contract: "channel/1";
  readonly kind: string;
  readonly title: string;
  /** How messages reach it: asked for, by an open connection, or by a call to us. */
  readonly needs: "poll" | "socket" | "webhook";
  /** By what a person logs in. Absent, or `none`: settings are typed in. */
  readonly login?: "none" | "qr" | "code";
  readonly can: ChannelCan;
  /** Opens a chat with us that begins with a code: `https://example.com/{account}?start={code}`. Absent: the platform has no such links. */
  readonly startLink?: string;
  /** Where files of people may be fetched from, beside `baseUrl`: `cdn.example.com`, `*.example.com`. */
  readonly fileHosts?: readonly string[];
  /** Settings that name the account: with others the channel begins anew. */
  readonly account: readonly string[];
  /** Which fields of `channels.{id}` it uses, as JSON Schema. */
  readonly schema: JsonObject;
  /** Markdown: how it is set up. */
  readonly guide: { readonly en: string; readonly zh: string };
}

export interface PluginKind {
  readonly manifest: ChannelManifest;
  readonly place: PluginPlace;
}

/** The plugin of a kind: ours, or `margay-channel-KIND` of somebody else. Undefined: it is not installed. */
export function findPluginKind(kind: string, options: LookOptions): PluginKind | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(kind)) return undefined;
  for (const name of [`@margay/channel-${kind}`, `margay-channel-${kind}`]) {
    const found = read(locatePackage(name, options));
    if (found?.manifest.kind === kind) return found;
  }
  return undefined;
}

/** All that are installed, ours first. */
export function pluginKinds(options: LookOptions): readonly PluginKind[] {
  const kinds = [...OUR_CHANNELS.map(({ kind }) => kind), ...foreign(options)];
  return [...new Set(kinds)].flatMap((kind) => findPluginKind(kind, options) ?? []);
}

function foreign({ home }: LookOptions): readonly string[] {
  if (home === undefined) return [];
  try {
    const names = readdirSync(dirname(installedFolder(home, "x")));
    return names.flatMap((name) => /^margay-channel-(.+)$/.exec(name)?.[1] ?? []);
  } catch {
    return []; // nothing was ever installed
  }
}

/** Of an installed package. */
export function channelManifestOf(place: PluginPlace): ChannelManifest | undefined {
  return read(place)?.manifest;
}

/** Undefined: no channel, or a manifest that nobody can use. */
function read(place: PluginPlace | undefined): PluginKind | undefined {
  if (place?.channel === undefined) return undefined;
  try {
    const manifest = parseJson(readFileSync(place.channel, "utf8"));
    if (!isRecord(manifest) || manifest["contract"] !== "channel/1" || !isRecord(manifest["guide"])) return undefined;
    const folder = dirname(place.channel);
    const guide = (name: unknown): string => readFileSync(join(folder, String(name)), "utf8");
    const { en, zh } = manifest["guide"];
    // Written by whoever made the plugin, which runs with all our rights: its shape is theirs to get right.
    return {
      manifest: { ...(manifest as unknown as ChannelManifest), guide: { en: guide(en), zh: guide(zh) } },
      place,
    };
  } catch {
    return undefined; // a file is missing, or may not be read
  }
}
