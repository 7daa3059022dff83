/** Which contents of which skills the operator accepted: a file of the state directory, where no tool writes. */
import { isRecord } from "../lib/is-record.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import { readIfExists, replaceFile } from "../machine/files/files.ts";
import { takeTurns } from "../machine/files/exclusive.ts";
import type { SkillFile } from "./skill-files.ts";

export interface SkillApproval {
  readonly hash: string;
  /** ISO 8601. */
  readonly at: string;
  /** Where it came from, as it was typed. */
  readonly source?: string;
  /** SHA-256 by path: what is different when the hash is. */
  readonly files: Readonly<Record<string, string>>;
}
/** For how long one process lets another one finish its change. */
const PATIENCE_MS = 10_000;
export type SkillApprovals = Readonly<Record<string, SkillApproval>>;

/** @throws RuntimeError `skill.approvals`: nothing counts as approved until the file is repaired. */
export function readApprovals(path: string): SkillApprovals {
  let value: unknown;
  try {
    const bytes = readIfExists(path);
    if (bytes === undefined) return {};
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw unreadable(path, messageOf(error), error);
  }
  const approved = isRecord(value) && value["version"] === 1 ? value["approved"] : undefined;
  if (!isRecord(approved) || !Object.values(approved).every(isApproval))
    throw unreadable(path, "it is not in the expected form");
  return approved as SkillApprovals; // each value was just checked
}

/** The approval of a name, never something that every object inherits. */
export function approvalOf(approvals: SkillApprovals, name: string): SkillApproval | undefined {
  return Object.hasOwn(approvals, name) ? approvals[name] : undefined;
}

/** `undefined` takes an approval back. @throws RuntimeError `skill.approvals`. */
export function writeApproval(path: string, name: string, approval: SkillApproval | undefined): void {
  takeTurns(`${path}.turns`, PATIENCE_MS, () => {
    const { [name]: _before, ...others } = readApprovals(path);
    const approved = { ...others, ...(approval !== undefined && { [name]: approval }) };
    replaceFile(path, `${JSON.stringify({ version: 1, approved }, null, 2)}\n`);
  });
}

/** Paths that were added, changed or removed since the approval. */
export function changesSince(approval: SkillApproval, files: readonly SkillFile[]): readonly string[] {
  const now = new Map(files.map((file) => [file.path, file.sha256]));
  const paths = new Set([...Object.keys(approval.files), ...now.keys()]);
  return [...paths].filter((path) => approval.files[path] !== now.get(path)).toSorted();
}

function isApproval(value: unknown): value is SkillApproval {
  return (
    isRecord(value) && typeof value["hash"] === "string" && typeof value["at"] === "string" && isRecord(value["files"])
  );
}

function unreadable(path: string, why: string, cause?: unknown): RuntimeError {
  return new RuntimeError(
    "skill.approvals",
    `${path} cannot be read (${why}). Repair it, or remove it and approve again.`,
    {
      cause,
      details: { path },
    },
  );
}
