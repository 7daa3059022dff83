/** `plugins/approved.json` in the state directory: which contents of which plugins a person approved, and what is suspended. */
import { RuntimeError } from "@margay/core";
import { isRecord, messageOf, readIfExists, replaceFile, takeTurns } from "@margay/core/internal";
import { approvedFile } from "../../../models/plugin-locate.ts";
import type { PluginManifest } from "./manifest.ts";
import type { Offer } from "./offer.ts";

/** Why a plugin is not used. `changed`: its files are not those that were approved. */
export interface Suspended {
  readonly why: "changed" | "faults";
  /** ISO 8601. */
  readonly at: string;
  /** The last of its faults. */
  readonly fault?: string;
}
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

/** For how long one process lets another one finish its change. */
const PATIENCE_MS = 10_000;

/** @throws RuntimeError `plugin.refused`: nothing counts as approved until the file is repaired. */
export function readApproved(home: string): ApprovedPlugins {
  const path = approvedFile(home);
  try {
    const bytes = readIfExists(path);
    if (bytes === undefined) return {};
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const plugins = isRecord(value) && value["version"] === 1 ? value["plugins"] : undefined;
    if (!isRecord(plugins)) throw new Error("it is not in the expected form");
    return plugins as unknown as ApprovedPlugins; // written by this file alone
  } catch (error) {
    throw new RuntimeError(
      "plugin.refused",
      `${path} cannot be read (${messageOf(error)}). Restore it, or delete it and approve each plugin again.`,
      { cause: error },
    );
  }
}

/** @param change `undefined` takes the approval back. */
export function changeApproved(
  home: string,
  name: string,
  change: (before: ApprovedPlugin | undefined) => ApprovedPlugin | undefined,
): void {
  takeTurns(`${approvedFile(home)}.turns`, PATIENCE_MS, () => {
    const all = readApproved(home);
    const { [name]: before, ...others } = all;
    const after = change(Object.hasOwn(all, name) ? before : undefined);
    const plugins = { ...others, ...(after !== undefined && { [name]: after }) };
    replaceFile(approvedFile(home), `${JSON.stringify({ version: 1, plugins }, null, 2)}\n`);
  });
}
