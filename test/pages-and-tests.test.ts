// The table of what the pages show names tests and pictures that are there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SCREENS } from "../packages/app/test/browser/screens-looks.ts";

const root = join(import.meta.dirname, "..");
const TESTS = join(root, "packages/app/test");
const POINTS = 15;

interface Row {
  readonly point: number;
  readonly file: string;
  readonly title: string;
  readonly pictures: readonly string[];
}

function rows(): readonly Row[] {
  return readFileSync(join(root, "docs/pages-and-tests.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, point = "", , file = "", title = "", pictures = ""] = line.split("|").map((cell) => cell.trim());
      if (!/^\d+$/.test(point)) return [];
      const names = [...pictures.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name);
      return [{ point: Number(point), file: file.replaceAll("`", ""), title, pictures: names }];
    });
}

test("each point of what the pages show has a test of that title, and pictures that npm run screens draws", () => {
  const all = rows();
  expect([...new Set(all.map(({ point }) => point))]).toEqual(Array.from({ length: POINTS }, (_, at) => at + 1));
  const wrong = all.flatMap(({ file, title, pictures }) => {
    const path = join(TESTS, file);
    if (!existsSync(path)) return [`no file ${file}`];
    const isThere = title !== "" && readFileSync(path, "utf8").includes(`"${title}`);
    return [
      ...(isThere ? [] : [`${file} has no test "${title}"`]),
      ...pictures.filter((name) => !SCREENS.includes(name)).map((name) => `no picture ${name}`),
    ];
  });
  expect(wrong).toEqual([]);
});
