/** The releases there were: the one place that says which. Each has journals below `packages/core/test/fixtures/journals/`. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The repository. */
export const ROOT: string = join(import.meta.dirname, "../../../..");
export const FIXTURES: string = join(ROOT, "packages/core/test/fixtures/journals");

export interface Release {
  /** The folder of its journals. */
  readonly name: string;
  /** Its last commit: a tag, once there are tags. */
  readonly commit: string;
}

/** Nothing was published yet: the last states that wrote a version of the journal, the oldest first. */
export const RELEASES: readonly Release[] = [
  { name: "0.1.0-first", commit: "d6f351977225" },
  { name: "0.1.0-receipts", commit: "b694bf6a0f8f" },
  { name: "0.1.0-people", commit: "d461e78cfaee" },
];

/** What people upgrade from: the newest tag of a version, and without any the last of these. */
export function releaseBefore(): string {
  const tags = execFileSync("git", ["-C", ROOT, "tag", "--list", "v*", "--sort=-v:refname"], { encoding: "utf8" });
  return tags.split("\n")[0] || (RELEASES.at(-1)?.commit ?? "HEAD");
}
