// The packages that are published, their one version, and where it is written.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the version stands in sources, which cannot read a package.json. */
const IN_SOURCES = ["packages/core/src/journal/upgrade.ts", "packages/app/src/features/mcp/client/client.ts"];

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * In the order in which they are published: the library, the program, what begins a plugin, then what the program installs on demand.
 * @param tree The checkout, or a copy of it.
 * @returns `{ name, folder, path, manifest }` of each.
 */
export function publishedPackages(tree) {
  const plugins = readdirSync(join(tree, "plugins"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `plugins/${name}`)
    .toSorted();
  return ["packages/core", "packages/app", "packages/create-margay-plugin", ...plugins].map((folder) => {
    const manifest = read(join(tree, folder, "package.json"));
    return { name: manifest.name, folder, path: join(tree, folder), manifest };
  });
}

/** @returns each place that says another version than the program does: nothing when all is well. */
export function versionFaults(tree, packages) {
  const version = versionOf(packages);
  const lock = read(join(tree, "package-lock.json")).packages;
  const said = [
    ...packages.flatMap(({ folder, manifest }) => [
      [`${folder}/package.json`, manifest.version],
      [`package-lock.json (${folder})`, lock[folder]?.version],
      ...(manifest.devDependencies?.["@margay/core"] === undefined
        ? []
        : [[`${folder}/package.json (@margay/core)`, manifest.devDependencies["@margay/core"]]]),
    ]),
    ...IN_SOURCES.map((path) => [path, readFileSync(join(tree, path), "utf8").match(VERSION_LINE)?.[2]]),
  ];
  return said.filter(([, one]) => one !== version).map(([place, one]) => `${place} says ${one ?? "nothing"}`);
}

export function versionOf(packages) {
  return packages.find(({ name }) => name === "margay").manifest.version;
}

const VERSION_LINE = /^(.*(?:RELEASE = |name: "margay", version: ))"([^"]+)"/m;

/** Writes a version wherever it stands, and gives what the changelog has as Unreleased its number and day. */
export function writeVersion(tree, packages, version, day) {
  const old = versionOf(packages);
  const edit = (path, change) => {
    const file = join(tree, path);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  };
  for (const { folder } of packages)
    edit(`${folder}/package.json`, (text) =>
      text
        .replace(`"version": "${old}"`, `"version": "${version}"`)
        .replace(`"@margay/core": "${old}"`, `"@margay/core": "${version}"`),
    );
  edit("package-lock.json", (text) => {
    const lock = JSON.parse(text);
    for (const { folder } of packages) {
      const entry = lock.packages[folder];
      entry.version = version;
      if (entry.devDependencies?.["@margay/core"] !== undefined) entry.devDependencies["@margay/core"] = version;
    }
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
  for (const path of IN_SOURCES) edit(path, (text) => text.replace(VERSION_LINE, `$1"${version}"`));
  edit("CHANGELOG.md", (text) => text.replace("## Unreleased\n", `## Unreleased\n\n## ${version} (${day})\n`));
}

/** @returns whether the changelog has a section of that version with something in it. */
export function isInChangelog(tree, version) {
  const sections = readFileSync(join(tree, "CHANGELOG.md"), "utf8").split(/^## /m);
  const own = sections.find((section) => /^\[?([^\s\]]+)/.exec(section)?.[1] === version);
  return own !== undefined && own.split("\n").slice(1).join("").trim() !== "";
}
