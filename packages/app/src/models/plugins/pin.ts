/** Providers and channels that were installed run only as a person approved them; what lies beside margay came with it. */
import { type Clock, RuntimeError } from "@margay/core";
import { shortName } from "../known-plugins.ts";
import type { PluginPlace } from "../plugin-locate.ts";
import { changeApprovals, type Pin, readApprovals } from "./approvals-file.ts";
import { type PackageContent, readWithDependencies } from "./package-content.ts";

/** Told when one is suspended, once. */
export type Suspend = (packageName: string) => void;

/**
 * Looks at all its files before any of them is imported.
 * @throws RuntimeError `plugin.refused`: nobody approved it, or it has changed and is suspended.
 */
export async function checkPin(
  place: PluginPlace,
  clock: Pick<Clock, "now">,
  suspended: Suspend = () => {},
): Promise<void> {
  const { home, package: name } = place;
  if (home === undefined) return;
  const pin = pinOf(home, name);
  if (pin === undefined)
    throw new RuntimeError(
      "plugin.refused",
      `Nobody has approved the plugin ${name} as it is. Look at it and run \`margay plugin approve ${shortName(name)}\`.`,
    );
  // guard: what is imported has all our rights, and is what a person has let in.
  if (pin.suspended === undefined && readWithDependencies(place).hash === pin.hash) return;
  if (pin.suspended === undefined) {
    const why = { why: "changed", at: new Date(clock.now()).toISOString() } as const;
    await changeApprovals<"inside", Pin>(home, "inside", name, (before) => before && { ...before, suspended: why });
    suspended(name);
  }
  throw new RuntimeError(
    "plugin.refused",
    `The plugin ${name} has changed since it was approved and is suspended. Look at it and run \`margay plugin approve ${shortName(name)}\`.`,
  );
}

export function pinOf(home: string, packageName: string): Pin | undefined {
  return readApprovals(home).inside[packageName];
}

/** @param content as it was looked at. */
export async function pin(place: PluginPlace, { hash }: Pick<PackageContent, "hash">, now: number): Promise<void> {
  const { home, package: name, version, channel } = place;
  if (home === undefined) return;
  const is = channel === undefined ? "provider" : "channel";
  const made: Pin = { package: name, version, is, hash, at: new Date(now).toISOString() };
  await changeApprovals<"inside", Pin>(home, "inside", name, () => made);
}

export async function unpin(home: string, packageName: string): Promise<void> {
  if (pinOf(home, packageName) !== undefined)
    await changeApprovals<"inside", Pin>(home, "inside", packageName, () => undefined);
}
