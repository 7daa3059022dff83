/** Which contents of which skills the operator accepted: kept where no tool writes. */
import { isRecord } from "../lib/is-record.ts";
import { messageOf, RuntimeError } from "../lib/errors/errors.ts";
import type { Docs } from "../contract/store.ts";
import { changeDoc } from "../lib/async/change-doc.ts";
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
export type SkillApprovals = Readonly<Record<string, SkillApproval>>;

const NAME = "skills.json";

/** @throws RuntimeError `skill.approvals`: nothing counts as approved until it is repaired. */
export function readApprovals(docs: Pick<Docs, "peek">, name: string = NAME): SkillApprovals {
  let body: string | undefined;
  try {
    body = docs.peek(name)?.body;
  } catch (error) {
    throw unreadable(messageOf(error), error);
  }
  return approvalsIn(body);
}

function approvalsIn(body: string | undefined): SkillApprovals {
  if (body === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw unreadable(messageOf(error), error);
  }
  const approved = isRecord(value) && value["version"] === 1 ? value["approved"] : undefined;
  if (!isRecord(approved) || !Object.values(approved).every(isApproval))
    throw unreadable("it is not in the expected form");
  return approved as SkillApprovals; // each value was just checked
}

/** The approval of a name, never something that every object inherits. */
export function approvalOf(approvals: SkillApprovals, name: string): SkillApproval | undefined {
  return Object.hasOwn(approvals, name) ? approvals[name] : undefined;
}

/** `undefined` takes an approval back. @throws RuntimeError `skill.approvals`. */
export async function writeApproval(docs: Docs, name: string, approval: SkillApproval | undefined): Promise<void> {
  await changeDoc(docs, NAME, (body) => {
    const { [name]: _before, ...others } = approvalsIn(body);
    const approved = { ...others, ...(approval !== undefined && { [name]: approval }) };
    return [`${JSON.stringify({ version: 1, approved }, null, 2)}\n`, undefined];
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

function unreadable(why: string, cause?: unknown): RuntimeError {
  return new RuntimeError(
    "skill.approvals",
    `${NAME} of the state directory cannot be read (${why}). Repair it, or remove it and approve again.`,
    { cause, details: { name: NAME } },
  );
}
