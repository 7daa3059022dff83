import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHINESE } from "../../src/web/texts/chinese.ts";

const SOURCES = join(import.meta.dirname, "../../src");
const FILES = ["web", ...readdirSync(join(SOURCES, "features")).map((name) => `features/${name}/page`)].flatMap(below);

test("R315 texts of the pages name no placeholder that only one language has", async () => {
  const wrong: string[] = [];
  for (const path of FILES.filter((name) => name.endsWith(".en.ts"))) {
    const { en } = await catalog(path);
    const { zh } = await catalog(path.replace(".en.ts", ".zh.ts"));
    for (const [key, text] of Object.entries(en ?? {}))
      if (holes(text) !== holes(zh?.[key] ?? "")) wrong.push(`${path}: ${key}`);
  }
  expect(wrong).toEqual([]);
});

test("R315 what the first load says without its Chinese has it fetched by those who read it", async () => {
  const without = FILES.filter((path) => /= speak\(en\)/.test(readFileSync(join(SOURCES, path), "utf8")));
  expect(without.length).toBe(CHINESE.size);
  for (const path of without) {
    const source = readFileSync(join(SOURCES, path), "utf8");
    const name = /from "\.\/([\w-]+\.en\.ts)"/.exec(source)?.[1] ?? "";
    const { en } = await catalog(join(path, "..", name));
    expect(Object.keys(CHINESE.get(en ?? {}) ?? {}), path).toEqual(Object.keys(en ?? {}));
  }
});

function holes(text: string): string {
  return [...new Set([...text.matchAll(/(?<!\{)\{(\w+)(?:\|[^}]*)?\}/g)].map((found) => found[1] ?? ""))].sort().join();
}

interface Catalog {
  readonly en?: Readonly<Record<string, string>>;
  readonly zh?: Readonly<Record<string, string>>;
}

async function catalog(path: string): Promise<Catalog> {
  return (await import(join(SOURCES, path))) as Catalog; // a module's names are known by its file's
}

function below(folder: string): readonly string[] {
  const path = join(SOURCES, folder);
  try {
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.tsx?$/.test(name));
  } catch {
    return []; // a feature without a page
  }
}
