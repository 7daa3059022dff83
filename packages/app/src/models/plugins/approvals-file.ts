/** `plugins/approved.json` in the state directory: which contents of which plugins a person approved, and what is suspended. */
import { RuntimeError } from "@margay/core";
import { isRecord, messageOf, readIfExists, replaceFile, takeTurns } from "@margay/core/internal";
import { approvedFile } from "../plugin-locate.ts";

/** Why a plugin is not used. `changed`: its files are not those that were approved. */
export interface Suspended {
  readonly why: "changed" | "faults";
  /** ISO 8601. */
  readonly at: string;
  /** The last of its faults. */
  readonly fault?: string;
}
/** A provider or a channel, which runs inside of margay. */
export interface Pin {
  readonly package: string;
  readonly version: string;
  readonly is: "provider" | "channel";
  /** Of its files, and of all that it imports. */
  readonly hash: string;
  /** ISO 8601. */
  readonly at: string;
  readonly suspended?: Suspended;
}
export interface Approvals {
  /** Tools and hooks, by name: of `features/plugins`. */
  readonly plugins: Readonly<Record<string, unknown>>;
  /** Providers and channels, by package. */
  readonly inside: Readonly<Record<string, Pin>>;
}

/** For how long one process lets another one finish its change. */
const PATIENCE_MS = 10_000;

/** @throws RuntimeError `plugin.refused`: nothing counts as approved until the file is repaired. */
export function readApprovals(home: string): Approvals {
  const path = approvedFile(home);
  try {
    const bytes = readIfExists(path);
    if (bytes === undefined) return { plugins: {}, inside: {} };
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const { plugins, inside = {} } = isRecord(value) && value["version"] === 1 ? value : {};
    if (!isRecord(plugins) || !isRecord(inside)) throw new Error("it is not in the expected form");
    return { plugins, inside: inside as Approvals["inside"] }; // written by this file alone
  } catch (error) {
    throw new RuntimeError(
      "plugin.refused",
      `${path} cannot be read (${messageOf(error)}). Restore it, or delete it and approve each plugin again.`,
      { cause: error },
    );
  }
}

/** @param change `undefined` takes the approval back. */
export function changeApprovals<Of extends keyof Approvals, One>(
  home: string,
  of: Of,
  name: string,
  change: (before: One | undefined) => One | undefined,
): void {
  takeTurns(`${approvedFile(home)}.turns`, PATIENCE_MS, () => {
    const all = readApprovals(home);
    const { [name]: before, ...others } = all[of] as Readonly<Record<string, One>>; // as the caller knows it
    const after = change(before);
    const changed = { ...others, ...(after !== undefined && { [name]: after }) };
    replaceFile(approvedFile(home), `${JSON.stringify({ version: 1, ...all, [of]: changed }, null, 2)}\n`);
  });
}
