/** Which contents of which tools and hooks a person approved, and what is suspended. */
import { changeApprovals, readApprovals, type Suspended } from "../../../models/plugins/approvals-file.ts";
import type { PluginManifest } from "./manifest.ts";
import type { Offer } from "./offer.ts";

export interface ApprovedPlugin extends Offer {
  readonly package: string;
  readonly version: string;
  readonly hash: string;
  /** ISO 8601. */
  readonly at: string;
  /** With all rights of the user. */
  readonly trusted: boolean;
  readonly manifest: PluginManifest;
  readonly suspended?: Suspended;
}
export type ApprovedPlugins = Readonly<Record<string, ApprovedPlugin>>;

/** @throws RuntimeError `plugin.refused`: nothing counts as approved until the file is repaired. */
export function readApproved(home: string): ApprovedPlugins {
  return readApprovals(home).plugins as unknown as ApprovedPlugins; // written by this file alone
}

/** @param change `undefined` takes the approval back. */
export function changeApproved(
  home: string,
  name: string,
  change: (before: ApprovedPlugin | undefined) => ApprovedPlugin | undefined,
): Promise<void> {
  return changeApprovals(home, "plugins", name, change);
}
