/** A tool or hook plugin as a person looks at it before it is used: what it is, what it asks for, what it says to the model. */
import { RuntimeError, type Clock } from "@margay/core";
import { checkBundle, fault, silentLog, startPlugin } from "@margay/core/internal";
import type { PluginPlace } from "../../models/plugin-locate.ts";
import { type ApprovedPlugin, changeApproved, readApproved } from "./engine/approvals.ts";
import { type PluginContent, readPlugin } from "./engine/content.ts";
import type { PluginManifest } from "./engine/manifest.ts";
import { type Offer, readOffer } from "./engine/offer.ts";

export interface PluginReview extends Offer {
  readonly package: string;
  readonly version: string;
  readonly license: string;
  readonly files: number;
  readonly bytes: number;
  readonly hash: string;
  readonly manifest: PluginManifest;
  readonly trusted: boolean;
}

/**
 * Reads its files, looks at its code and asks it, fenced, what it offers.
 * @param trusted With all rights of the user, as the operator says: its code is not looked at.
 * @throws RuntimeError `plugin.invalid`, `plugin.refused`: its code holds what a plugin must not.
 */
export async function reviewPlugin(place: PluginPlace, trusted: boolean, clock: Clock): Promise<PluginReview> {
  const content = readPlugin(place);
  const { name } = content.manifest;
  // guard: before anything of it runs.
  const why = trusted ? undefined : checkBundle(content.code);
  if (why !== undefined)
    throw new RuntimeError(
      "plugin.refused",
      `The code of the plugin ${name} is refused: ${why}. Bundle it into one file without imports, or install it with --trusted, which gives it all your rights.`,
    );
  return { ...partsOf(place, content), trusted, ...(await offerOf(place, content, trusted, clock)) };
}

function partsOf(
  place: PluginPlace,
  { license, files, bytes, hash, manifest }: PluginContent,
): Omit<PluginReview, keyof Offer | "trusted"> {
  return { package: place.package, version: place.version, license, files, bytes, hash, manifest };
}

async function offerOf(
  { entry }: PluginPlace,
  { manifest, code }: PluginContent,
  trusted: boolean,
  clock: Clock,
): Promise<Offer> {
  const { name } = manifest;
  const source = { name, code, ...(trusted && { trustedPath: entry }) };
  try {
    using process = await startPlugin(source, { clock, log: silentLog, ended: () => {} });
    return readOffer(process.offer, manifest);
  } catch (error) {
    if (error instanceof RuntimeError && error.code === fault(name, "").code)
      throw new RuntimeError("plugin.invalid", error.message, { cause: error });
    throw error;
  }
}

/** What was looked at is what is approved: of other files nothing is. */
export async function approveReviewed(home: string, review: PluginReview, now: number): Promise<ApprovedPlugin> {
  const { license: _license, files: _files, bytes: _bytes, ...kept } = review;
  const approved: ApprovedPlugin = { ...kept, at: new Date(now).toISOString() };
  await changeApproved(home, review.manifest.name, () => approved);
  return approved;
}

/** By its package. */
export function approvedOf(home: string, packageName: string): ApprovedPlugin | undefined {
  return Object.values(readApproved(home)).find((plugin) => plugin.package === packageName);
}

export async function forgetApproved(home: string, packageName: string): Promise<void> {
  const found = approvedOf(home, packageName);
  if (found !== undefined) await changeApproved(home, found.manifest.name, () => undefined);
}

/** How it stands, without running anything of it. */
export function standingOf(home: string, place: PluginPlace): "approved" | "changed" | "faults" | "unapproved" {
  const approved = approvedOf(home, place.package);
  if (approved === undefined) return "unapproved";
  if (approved.suspended !== undefined) return approved.suspended.why;
  return readPlugin(place).hash === approved.hash ? "approved" : "changed";
}
