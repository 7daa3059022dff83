// Each code block of the user guides is run as a reader would: what is shown is what happens.
import { expect, test } from "vitest";
import { blocksOf, guides, type Block } from "./pages.ts";
import { faultsOf } from "./run-page.ts";

/** Blocks that cannot run here (another machine, a download of gigabytes, the suite itself): the number may only fall. */
const MOST_NOT_RUN = 6;
const LANGUAGES: ReadonlySet<string> = new Set(["sh", "console", "json", "jsonc", "ts"]);

const isRun = ({ marks }: Block): boolean => marks["not-run"] === undefined;
/** What is run of a page; comments are words for the reader. */
const typed = (path: string): string =>
  JSON.stringify(
    blocksOf(path)
      .filter(isRun)
      .map(({ language, marks, text }) => [language, marks, text.replaceAll(/\s*#\s.*$/gm, "")]),
  );
const PAGES = guides().flatMap((path): readonly (readonly [string, readonly Block[]])[] => {
  const blocks = blocksOf(path).filter(isRun);
  const sister = path.replace(".zh-CN.md", ".md");
  // What both languages show alike is run once.
  return blocks.length === 0 || (sister !== path && typed(sister) === typed(path)) ? [] : [[path, blocks]];
});

test.for(PAGES)("the code blocks of %s run", { timeout: 300_000 }, async ([path, blocks]) => {
  expect(await faultsOf(path, blocks)).toEqual([]);
});

test("what is not run says why, and there is no more of it than there was", () => {
  const all = guides().flatMap((path) => blocksOf(path).map((block) => ({ path, ...block })));
  const left = all.filter((block) => !isRun(block));
  expect(left.filter(({ marks }) => (marks["not-run"] ?? "").length < 5)).toEqual([]);
  // What the runner does not know has to be marked.
  expect(all.filter((block) => isRun(block) && !LANGUAGES.has(block.language))).toEqual([]);
  expect(left.length).toBeLessThanOrEqual(MOST_NOT_RUN);
  expect(all.length - left.length).toBeGreaterThan(130);
});
