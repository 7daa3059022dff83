// Files that count as strangers' text: a turn reads what somebody sent, and then writes them.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, type MockModel } from "@margay/core/testing";

export const LETTER = "What somebody wrote whom nobody here knows.\n";

/** The replies of a model that saves the letter under these names. Each file is told apart by its first line. */
export function savesLetter(
  { model, workspace }: { readonly model: Pick<MockModel, "replies">; readonly workspace: string },
  ...names: readonly string[]
): void {
  mkdirSync(join(workspace, "inbox"), { recursive: true });
  writeFileSync(join(workspace, "inbox/letter.txt"), LETTER);
  model.replies(
    callsTool("read_file", { path: "inbox/letter.txt" }),
    ...names.map((path) => callsTool("write_file", { path, content: `${path}\n${LETTER}` })),
    says("Saved."),
  );
}

/** A person clones `https://{origin}` with git of their own; the model, asked then, reads its README.md. */
export function clonesRepository(
  { model, workspace }: { readonly model: Pick<MockModel, "replies">; readonly workspace: string },
  path: string,
  origin: string,
): void {
  mkdirSync(workspace, { recursive: true });
  const upstream = join(workspace, "..", `upstream-${path}`);
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: join(workspace, "..") });
  git("init", "-q", upstream);
  writeFileSync(join(upstream, "README.md"), LETTER);
  git("-C", upstream, "add", ".");
  git("-C", upstream, "commit", "-qm", "one");
  git("-c", `url.${upstream}.insteadOf=https://${origin}`, "clone", "-q", `https://${origin}`, join(workspace, path));
  model.replies(callsTool("read_file", { path: `${path}/README.md` }), says("Read."));
}
