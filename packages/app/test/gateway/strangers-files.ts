// Files that count as strangers' text: a turn reads what somebody sent, and then writes them.
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
