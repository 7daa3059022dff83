/** A provider or a channel as a person looks at it before it runs inside of margay: what can be known without its code. */
import { isRecord } from "@margay/core/internal";
import { channelManifestOf } from "../../models/channel-kinds.ts";
import type { PluginPlace } from "../../models/plugin-locate.ts";
import type { Pin } from "../../models/plugins/approvals-file.ts";
import { type PackageContent, readWithDependencies } from "../../models/plugins/package-content.ts";
import { pin, pinOf } from "../../models/plugins/pin.ts";

export interface InsideReview extends Pick<PackageContent, "hash" | "files" | "bytes" | "license"> {
  readonly package: string;
  readonly version: string;
  readonly contract: "provider/1" | "channel/1";
  /** Of a channel; a provider says them when its code runs. */
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
}

/** @throws RuntimeError `plugin.invalid`. */
export function reviewInside(place: PluginPlace): InsideReview {
  const { hash, files, bytes, license } = readWithDependencies(place);
  const { package: name, version, channel } = place;
  const fields = channel === undefined ? [] : fieldsOf(channelManifestOf(place)?.schema);
  return {
    ...{ package: name, version, license, files, bytes, hash },
    contract: channel === undefined ? "provider/1" : "channel/1",
    settings: fields.flatMap(([field, isSecret]) => (isSecret ? [] : [field])),
    secrets: fields.flatMap(([field, isSecret]) => (isSecret ? [field] : [])),
  };
}

function fieldsOf(schema: unknown): readonly (readonly [string, boolean])[] {
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).flatMap(([name, field]) =>
    name === "options" ? fieldsOf(field) : [[name, isRecord(field) && field["writeOnly"] === true] as const],
  );
}

/** What was looked at is what is approved. */
export function approveInside(place: PluginPlace, review: InsideReview, now: number): Promise<void> {
  return pin(place, review, now);
}

/** How it stands, without running anything of it. */
export function standingInside(place: PluginPlace): "approved" | "changed" | "unapproved" {
  const found: Pin | undefined = place.home === undefined ? undefined : pinOf(place.home, place.package);
  if (found === undefined) return "unapproved";
  return found.suspended === undefined && readWithDependencies(place).hash === found.hash ? "approved" : "changed";
}
