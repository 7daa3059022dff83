// The pages of the user guides and the code blocks in them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT: string = join(import.meta.dirname, "../../../..");

export interface Block {
  /** First word of the fence. */
  readonly language: string;
  /** What else stands in the fence: `name="value"`. */
  readonly marks: Readonly<Record<string, string>>;
  readonly text: string;
  /** Of the fence, from 1. */
  readonly line: number;
}

/** For developers, in English; what of them can be run has tests of its own. */
const FOR_DEVELOPERS =
  /^docs\/(?:architecture|backup-format|faults|first-hour|pages-and-tests|write-a-.*|decisions\/.*)\.md$/;

/** Their blocks are tried with what they are about: `release.test.ts` installs the packages, `proxies.test.ts` runs Caddy and nginx. */
const TRIED_ELSEWHERE = /^docs\/(?:install|reverse-proxy)(?:\.zh-CN)?\.md$/;

/** From the root of the repository, sorted. */
export function guides(): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? below(path) : path.endsWith(".md") ? [path] : [];
    });
  return [
    "README.md",
    "README.zh-CN.md",
    ...below("docs").filter((path) => !FOR_DEVELOPERS.test(path) && !TRIED_ELSEWHERE.test(path)),
  ].toSorted();
}

/** In order. A fence without a language shows what somebody types or sees, and is no code. */
export function blocksOf(path: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly info: string; readonly line: number; readonly rows: string[] } | undefined;
  for (const [index, row] of readFileSync(join(ROOT, path), "utf8").split("\n").entries()) {
    const fence = /^```(.*)$/.exec(row);
    if (fence === null) open?.rows.push(row);
    else if (open === undefined) open = { info: fence[1] ?? "", line: index + 1, rows: [] };
    else {
      const [language = "", ...rest] = open.info.split(" ");
      const marks = Object.fromEntries(
        [...rest.join(" ").matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
      );
      if (language !== "" && language !== "text")
        blocks.push({ language, marks, text: open.rows.join("\n"), line: open.line });
      open = undefined;
    }
  }
  return blocks;
}
