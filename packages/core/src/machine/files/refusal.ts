// Why a path is not opened, in the words the model reads (contract, section 5).
import { RuntimeError } from "../../lib/errors/errors.ts";
import { ellipsis } from "../../lib/text.ts";

/** The largest file that is read or written: more is work for a program. */
export const MAX_FILE_BYTES: number = 100 * 1024 * 1024;

const ALL = [
  "missing",
  "outside",
  "protected",
  "directory",
  "not-directory",
  "special",
  "large",
  "linked",
  "invalid",
  "loop",
  "long",
  "denied",
  "full",
  "changed",
] as const;
export type Refusal = (typeof ALL)[number];

export function isRefusal(text: string): text is Refusal {
  return ALL.some((one) => one === text);
}

/** An error with code `tool.refused`, never retried; its message is `{fact}. Next: {step}.` */
export function refuse(why: Refusal, path: string, workspace: string): RuntimeError {
  return new RuntimeError("tool.refused", sentence(why, show(path), workspace), { details: { why } });
}

function sentence(why: Refusal, path: string, workspace: string): string {
  switch (why) {
    case "missing":
      return `${path} does not exist. Next: look with list_dir.`;
    case "outside":
      return `${path} is outside the workspace. Next: use a path inside ${workspace}.`;
    case "protected":
      return `${path} is protected. Next: ask the operator to change it.`;
    case "directory":
      return `${path} is a directory. Next: use list_dir.`;
    case "not-directory":
      return `${path} is not a directory. Next: look with list_dir.`;
    case "special":
      return `${path} is a device, pipe or socket. Next: use a regular file.`;
    case "large":
      return `${path} is over 100 MB. Next: use exec to work on a part of it.`;
    case "linked":
      return `${path} has another name (hard link) that may lie outside the workspace. Next: ask the operator for a copy.`;
    case "invalid":
      return `${path} is not a valid path. Next: use a plain path.`;
    case "loop":
      return `${path} is a loop of links. Next: use another path.`;
    case "long":
      return `${path} is too long. Next: use a shorter path.`;
    case "denied":
      return `${path} may not be accessed (permission denied). Next: ask the operator to change it.`;
    case "full":
      return `the disk is full; ${path} is unchanged. Next: tell the user.`;
    case "changed":
      return `${path} was changed by somebody else meanwhile. Next: read it again.`;
  }
}

/** The path without characters that could forge a line, cut at 200. */
export function show(path: string): string {
  const visible = path.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return ellipsis(visible, 200);
}

const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ["ENOENT", "missing"],
  ["ENOTDIR", "not-directory"],
  ["EISDIR", "directory"],
  ["ELOOP", "loop"],
  ["ENAMETOOLONG", "long"],
  ["EACCES", "denied"],
  ["EPERM", "denied"],
  ["EROFS", "denied"],
  ["ENXIO", "special"],
  ["ENODEV", "special"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EINVAL", "invalid"],
  ["EILSEQ", "invalid"],
]);

/** What a file system error means for a path; undefined when it is nobody's refusal (input/output errors). */
export function refusalOf(error: unknown): Refusal | undefined {
  return REFUSALS.get(errorCode(error) ?? "");
}

/** `ENOENT` and the like; undefined for other things. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
