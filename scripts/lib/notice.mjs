// The licences of what a bundle contains, collected from the packages its modules came from.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const ACCEPTED = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
]);
/** Read in their licence files: their package.json says nothing. */
const BY_FILE = { khroma: "MIT" };

/**
 * @param moduleIds absolute paths of bundled modules
 * @returns text of the NOTICE file, packages sorted by name
 * @throws when a package has no licence that allows us to ship it
 */
export function notice(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const sections = [...folders].map(describe).sort((a, b) => (a.title < b.title ? -1 : 1));
  const intro =
    "margay is MIT licensed (see LICENSE). Its bundle contains code of these packages, under their own licences:";
  return [intro, ...sections.map(({ title, text }) => `${"-".repeat(80)}\n${title}\n\n${text}`)].join("\n\n") + "\n";
}

function packageFolder(id) {
  const match = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@\0]+)[\\/]/.exec(id);
  if (match === null) return undefined;
  for (
    let folder = dirname(id.replace(/^\0/, "").split("?")[0]);
    folder.length >= match[1].length;
    folder = dirname(folder)
  ) {
    const file = join(folder, "package.json"); // nested package.json files that only say "type" are skipped
    if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version !== undefined) return folder;
  }
  return match[1];
}

function describe(folder) {
  const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const kind =
    typeof license === "string"
      ? license
      : (license?.type ?? licenses?.map((one) => one.type).join(" OR ") ?? BY_FILE[name] ?? "unknown");
  const allowed = kind
    .replace(/[()]/g, "")
    .split(/ OR /)
    .some((one) => one.split(/ AND /).every((part) => ACCEPTED.has(part.trim())));
  if (!allowed)
    throw new Error(`${name} ${version} is licensed "${kind}": it cannot be bundled. Make it a plugin or replace it.`);
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort();
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return {
    title: `${name} ${version} (${kind})`,
    text: text === "" ? "The package carries no licence file; the name above is from its package.json." : text,
  };
}
