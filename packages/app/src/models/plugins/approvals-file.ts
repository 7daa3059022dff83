/**
 * Which contents of which plugins a person approved, and what is suspended: beside what is installed, and so of the directory that
 * holds it, whatever store the rest is in.
 */
import { RuntimeError } from "@margay/core";
import { changeDoc, isRecord, messageOf, openFileDocs } from "@margay/core/internal";
import { APPROVED_DOC } from "../plugin-locate.ts";

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

/** @throws RuntimeError `plugin.refused`: nothing counts as approved until the file is repaired. */
export function readApprovals(home: string): Approvals {
  try {
    return approvalsIn(openFileDocs(home).peek(APPROVED_DOC)?.body);
  } catch (error) {
    throw unreadable(error);
  }
}

function approvalsIn(body: string | undefined): Approvals {
  try {
    if (body === undefined) return { plugins: {}, inside: {} };
    const value: unknown = JSON.parse(body);
    const { plugins, inside = {} } = isRecord(value) && value["version"] === 1 ? value : {};
    if (!isRecord(plugins) || !isRecord(inside)) throw new Error("it is not in the expected form");
    return { plugins, inside: inside as Approvals["inside"] }; // written by this file alone
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): unknown {
  if (error instanceof RuntimeError) return error;
  return new RuntimeError(
    "plugin.refused",
    `${APPROVED_DOC} of the state directory cannot be read (${messageOf(error)}). Restore it, or delete it and approve each plugin again.`,
    { cause: error },
  );
}

/** @param change `undefined` takes the approval back. */
export async function changeApprovals<Of extends keyof Approvals, One>(
  home: string,
  of: Of,
  name: string,
  change: (before: One | undefined) => One | undefined,
): Promise<void> {
  await changeDoc(openFileDocs(home), APPROVED_DOC, (body) => {
    const all = approvalsIn(body);
    const { [name]: before, ...others } = all[of] as Readonly<Record<string, One>>; // as the caller knows it
    const after = change(before);
    const changed = { ...others, ...(after !== undefined && { [name]: after }) };
    return [`${JSON.stringify({ version: 1, ...all, [of]: changed }, null, 2)}\n`, undefined];
  });
}
