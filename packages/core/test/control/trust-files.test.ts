// `/trust files` in a chat: what counts as strangers' text is shown, and a yes is to what was shown and to nothing else.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createFileEndorsement, openFileLabels, type FileLabels } from "../../src/internal.ts";
import type { LabelledFiles } from "../../src/internal.ts";
import type { startAgent } from "../support/agent.ts";
import { GUEST, scene, type Scene } from "../support/chat-scene.ts";
import { temporaryFolder } from "../support/folder.ts";

const STRANGE = { integrity: "untrusted", confidentiality: "public" } as const;

interface Place extends Pick<Scene, "says"> {
  readonly labels: FileLabels;
  readonly workspace: string;
  /** Who vouched. */
  readonly by: readonly string[];
  /** Writes a file, as a tool does after a stranger's text was read. */
  strange(path: string, text?: string): void;
}

async function place(t: Parameters<typeof startAgent>[0]): Promise<Place> {
  const folder = await temporaryFolder();
  t.onTestFinished(async () => folder[Symbol.asyncDispose]());
  const [workspace, labels] = [folder.at("files"), openFileLabels(folder.at("state"))];
  const files = createFileEndorsement(workspace, labels);
  const by: string[] = [];
  const labelledFiles: LabelledFiles = {
    list: files.list,
    disown: async (paths) => files.disown(paths),
    endorse: (shown, who) => {
      by.push(who);
      return files.endorse(shown);
    },
  };
  const { says } = await scene(t, { labelledFiles });
  return {
    says,
    workspace,
    labels,
    by,
    strange: (path, text = `What a stranger says in ${path}.\n`) => {
      labels.writing(path, Buffer.from(text), STRANGE, "whole");
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    },
  };
}

const NOTHING = "No file of the workspace counts as strangers' text.";

test("SC15 /trust files lists them, with all they are vouched for, by their content and by who said so", async (t) => {
  const { says, strange, labels, by } = await place(t);
  expect(await says("/trust files")).toBe(NOTHING);
  strange("notes/a.md");
  strange("b.md");
  expect(await says("/trust files")).toBe(
    [
      "These count as strangers' text:",
      "- `b.md` (written after a stranger's text was read)",
      "- `notes/a.md` (written after a stranger's text was read)",
      "`/trust files all` or `/trust files PATH` makes what is shown yours. What a stranger has a hand in later counts anew.",
    ].join("\n"),
  );
  expect(await says("/trust files all")).toBe("Yours from now on:\n- `b.md`\n- `notes/a.md`");
  expect(by).toEqual(["owner"]);
  expect(labels.paths()).toEqual([]);
  expect(await says("/trust files")).toBe(NOTHING);
  strange("b.md", "Something else that a stranger says.\n");
  expect(labels.paths()).toEqual(["b.md"]);
});

test("SC15 a word behind it vouches for that one alone; what was not shown is not vouched for", async (t) => {
  const { says, strange, labels } = await place(t);
  strange("a.md");
  strange("b.md");
  expect(await says("/trust files a.md")).toContain("- `a.md`"); // nothing was shown yet: this shows it
  expect(labels.byPath("a.md")).toBe(true);
  expect(await says("/trust files b.md")).toBe("b.md was not shown. /trust files shows what there is.");
  await says("/trust files");
  strange("c.md");
  expect(await says("/trust files c.md")).toBe("c.md was not shown. /trust files shows what there is.");
  expect(await says("/trust files b.md")).toBe("Yours from now on:\n- `b.md`");
  expect(labels.paths().toSorted()).toEqual(["a.md", "c.md"]);
});

test("SC15 all before anything was shown only shows", async (t) => {
  const { says, strange, labels } = await place(t);
  strange("a.md");
  expect(await says("/trust files all")).toContain("These count as strangers' text:\n- `a.md`");
  expect(labels.paths()).toEqual(["a.md"]);
});

test("SC15 each chat vouches for what it was shown itself", async (t) => {
  const { says, strange, labels } = await place(t);
  strange("a.md");
  await says("/trust files");
  expect(await says("/trust files all", undefined, "2")).toContain("These count as strangers' text:");
  expect(labels.paths()).toEqual(["a.md"]);
});

test("SC15 a content that changed since it was shown is left, and said", async (t) => {
  const { says, strange, labels } = await place(t);
  strange("a.md");
  strange("b.md");
  await says("/trust files");
  strange("a.md", "Not what the person saw.\n");
  expect(await says("/trust files all")).toBe(
    "Yours from now on:\n- `b.md`\nChanged since it was shown, so left as it is; /trust files shows it anew:\n- `a.md`",
  );
  expect(labels.paths()).toEqual(["a.md"]);
});

test("SC15 a guest neither sees nor vouches", async (t) => {
  const { says, strange, labels } = await place(t);
  strange("a.md");
  await says("/trust files");
  for (const text of ["/trust files", "/trust files all"])
    expect(await says(text, GUEST)).toBe("Only an operator can do that.");
  expect(labels.paths()).toEqual(["a.md"]);
});

test("SC15 of more than twenty it shows twenty, says how many more there are, and vouches for those shown", async (t) => {
  const { says, strange, labels } = await place(t);
  for (let index = 10; index < 31; index += 1) strange(`n${index}.md`);
  const answer = (await says("/trust files")) ?? "";
  expect(answer.split("\n").filter((line) => line.startsWith("- `"))).toHaveLength(20);
  expect(answer).toContain("- and 1 more, of which this says nothing: `margay trust` shows all");
  await says("/trust files all");
  expect(labels.paths()).toEqual(["n30.md"]);
});

test("SC15 a name that a stranger chose makes no line, link or picture in the answer", async (t) => {
  const { says, strange } = await place(t);
  strange("a`b\n- `own.md` (yours).md");
  strange("![x](elsewhere.example).md");
  const lines = ((await says("/trust files")) ?? "").split("\n");
  expect(lines.slice(1, -1)).toEqual([
    "- `![x](elsewhere.example).md` (written after a stranger's text was read)",
    "- `` a`b\\n- `own.md` (yours).md `` (written after a stranger's text was read)",
  ]);
});

test("SC17 /trust files asks of a cloned repository whose it is, and an answer is given once", async (t) => {
  const { says, labels, workspace } = await place(t);
  for (const [path, from] of [
    ["cloned", "github.com/x/y"],
    ["other", "gitlab.com/a/b"],
  ] as const) {
    mkdirSync(join(workspace, path), { recursive: true });
    labels.addTree(path, `came from ${from}`);
    labels.addOrigin(path, from, "unknown");
  }
  expect(await says("/trust files")).toBe(
    [
      "These count as strangers' text:",
      "- `cloned/` came from github.com/x/y. Yours, or a stranger's?",
      "- `other/` came from gitlab.com/a/b. Yours, or a stranger's?",
      "`/trust files all` or `/trust files PATH` makes what is shown yours. What a stranger has a hand in later counts anew.",
      "`/trust files stranger PATH`: the repository is a stranger's, and that is not asked again.",
    ].join("\n"),
  );
  expect(await says("/trust files stranger elsewhere")).toContain("elsewhere was not shown");
  expect(await says("/trust files stranger other")).toBe("A stranger's, as said:\n- `other/`");
  expect(await says("/trust files cloned")).toBe("Yours from now on:\n- `cloned/`");
  expect([labels.byPath("cloned/a"), labels.byPath("other/a")]).toEqual([false, true]);
  const after = await says("/trust files");
  expect(after).toContain("- `other/` (came from gitlab.com/a/b)");
  expect(after).not.toContain("Yours, or");
});
