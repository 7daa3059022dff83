/** Writes of a confined program that must fail, known before anybody is asked about them. */
import fs from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { JsonObject } from "@margay/core";
import type { ServerConfig } from "./types.ts";

/** Words of a tool's name that say it changes what its path names. */
const WRITES: ReadonlySet<string> = new Set(
  "append chmod copy create delete edit insert mkdir modify move patch put remove rename replace save touch truncate unlink update write".split(
    " ",
  ),
);
/** Parameters that name what is changed. */
const TARGETS: ReadonlySet<string> = new Set(
  "path paths file files filename filepath file_path file_name directory dir folder dest destination destination_path target target_path new_path output output_path to".split(
    " ",
  ),
);
/** The same for tools that take away what they name. */
const SOURCES: ReadonlySet<string> = new Set("source source_path src from old_path".split(" "));
const TAKES_AWAY: ReadonlySet<string> = new Set(["move", "rename"]);

/** Folders that its command line names: it sees them, and may change those of `writable` only. */
export function namedFolders({ args = [] }: Pick<ServerConfig, "args">): readonly string[] {
  return [...new Set(args.flatMap((arg) => /^(?:--?[\w-]+=)?(\/[^\0]*)$/.exec(arg)?.[1] ?? []))].filter(isFolder);
}

/**
 * @param tool As the server calls it.
 * @param workspace Ours: a place of this machine, whoever names it.
 * @returns a path that the program may not change, when the call must fail because of it. What is not certain is undefined.
 */
export function unwritable(
  config: ServerConfig,
  tool: string,
  input: JsonObject,
  workspace: string,
): string | undefined {
  if (config.command === undefined || config.sandbox === false) return undefined;
  const words = wordsOf(tool);
  if (!words.some((word) => WRITES.has(word))) return undefined;
  const keys = words.some((word) => TAKES_AWAY.has(word)) ? [TARGETS, SOURCES] : [TARGETS];
  const named = Object.entries(input).flatMap(([key, value]) =>
    keys.some((set) => set.has(wordsOf(key).join("_"))) ? textsOf(value) : [],
  );
  const places = [...namedFolders(config), workspace].map(real);
  const writable = (config.writable ?? []).map(real);
  return named
    .filter((path) => isAbsolute(path))
    .find((path) => {
      const target = real(path);
      return places.some((place) => isBelow(place, target)) && !writable.some((place) => isBelow(place, target));
    });
}

/** `writeFile`, `write-file` and `write_file` are the same words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Of what does not exist: where it would be. */
function real(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(real(above), basename(path)); // not there yet
  }
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false; // it may come: then it is one at the next start
  }
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
