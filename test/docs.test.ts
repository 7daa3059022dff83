// What the documents say is compared with what is there.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
/** @throws when git fails: a guard over no output would pass on nothing. */
function git(args: readonly string[], { empty = 0 }: { readonly empty?: number } = {}): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0 && status !== empty) throw new Error(`git ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}
const documents = git(["ls-files", "*.md"]).split("\n").filter(Boolean);

test("docs/errors.md and its Chinese sister say what the tables of codes say", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/errors.mjs")], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("docs/configuration.md and its Chinese sister say what the table of keys says", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/configuration.mjs")], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test(
  "docs/reference/ and docs/troubleshooting.md say what the code says, in both languages",
  { timeout: 60_000 },
  () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/reference.mjs")], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  },
);

test("every document has its place in the navigation of the site, and a guide its Chinese sister or a reason", async () => {
  const { navigationOf, readPages } = (await import(join(root, "scripts/lib/site/pages.mjs"))) as SitePages;
  const pages = readPages();
  const shown = new Set(
    ["en", "zh-CN"].flatMap((language) => navigationOf(pages, language).flatMap((section) => section.pages)),
  );
  const hidden = [...pages.values()].filter((page) => !shown.has(page) && !page.path.startsWith("decisions/0"));
  expect(hidden.map(({ source }) => source)).toEqual([]);
  const english = [...pages.values()].filter(
    ({ path, language }) => language === "en" && !pages.has(path.replace(/md$/, "zh-CN.md")),
  );
  expect(english.map(({ source }) => source).filter((source) => !IN_ENGLISH.test(source))).toEqual([]);
});

test("both languages of docs/security.md name the same tests and decisions in each row, and have as many rows and sections", () => {
  const rows = (path: string): readonly unknown[] =>
    read(path)
      .split("\n")
      .filter((row) => /^(?:## |\| |- )/.test(row))
      .map((row) => [
        row.slice(0, 2),
        [...row.matchAll(/`[^`]*\.test\.ts`/g)].map(String).toSorted(),
        [...row.matchAll(/decisions\/\d+/g)].map(String),
      ]);
  expect(rows("docs/security.zh-CN.md")).toEqual(rows("docs/security.md"));
  expect(rows("docs/security.md").length).toBeGreaterThan(80);
});

test("R307 every file and folder the architecture page names exists, in its walk and in its map", () => {
  const page = read("docs/architecture.md");
  const named = [...page.matchAll(/`((?:packages|scripts|examples|test|docs|bench)\/[^`\s*{]*)`/g)].map(
    (match) => match[1] ?? "",
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every folder of the sources has a place on the architecture page", () => {
  const page = read("docs/architecture.md");
  const folders = ["packages/core/src", "packages/app/src"].flatMap((source) =>
    readdirSync(join(root, source), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && readdirSync(join(root, source, entry.name)).length > 0)
      .map((entry) => `${source}/${entry.name}/`),
  );
  expect(folders.filter((folder) => !page.includes(`\`${folder}`))).toEqual([]);
});

test("links between documents lead somewhere", () => {
  const dead = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map((match) => match[1] ?? "")
      .filter((link) => !existsSync(join(root, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});

interface SitePages {
  readPages(): ReadonlyMap<string, { readonly source: string; readonly path: string; readonly language: string }>;
  navigationOf(
    pages: unknown,
    language: string,
  ): readonly { readonly pages: readonly { readonly source: string; readonly path: string }[] }[];
}

/** Pages for developers; and guides that nobody has put into Chinese yet: the list may only get shorter. */
const IN_ENGLISH =
  /^(?:[A-Z]+|docs\/(?:architecture|backup-format|faults|first-hour|pages-and-tests|performance|write-a-.*|decisions\/.*))\.md$/;

const MANIFESTS = [
  "package.json",
  ...["packages", "plugins"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}/package.json`),
  ),
].filter((file) => existsSync(join(root, file)));

test("every npm dependency is named in a decision", () => {
  const decisions = readdirSync(join(root, "docs/decisions"))
    .map((file) => read(`docs/decisions/${file}`))
    .join("\n");
  const names = MANIFESTS.flatMap((file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file)) as Record<
      string,
      Record<string, string>
    >;
    return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  });
  const says = (name: string): boolean => new RegExp(`(^|[\\s\`(])${name}([\\s\`),.;:]|$)`, "im").test(decisions);
  expect([...new Set(names)].filter((name) => !name.startsWith("@margay/") && !says(name))).toEqual([]);
});

test("dependencies are pinned to one version", () => {
  const loose = MANIFESTS.flatMap((file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file)) as Record<
      string,
      Record<string, string>
    >;
    return Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version),
    );
  });
  expect(loose).toEqual([]);
});

test("AGENTS.md stays under 100 lines and its commands exist", () => {
  const page = read("AGENTS.md");
  expect(page.split("\n").length).toBeLessThan(100);
  const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts);
  const named = [...page.matchAll(/`npm (?:run )?([\w:-]+)/g)].map((match) => match[1]);
  expect(named.filter((name) => !scripts.includes(name ?? ""))).toEqual([]);
});

test("no committed file names a path of the machine it was written on", () => {
  const files = [".", ":!package-lock.json", ":!test/docs.test.ts"];
  expect(git(["grep", "-nE", "/(work|farm)/[a-z]|/tmp/bash_", "--", ...files], { empty: 1 })).toBe("");
});
