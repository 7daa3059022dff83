/** What of this machine a program of the operator needs to see: the files of its package, and what its command line names. */
import fs from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";

/** What makes a folder the home of one program. */
const MANIFESTS = ["package.json", "pyproject.toml", "deno.json", "Cargo.toml", "go.mod", "pyvenv.cfg"] as const;
/** Shown in every sandbox. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/tmp", "/run"] as const;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** PATH that the command is looked for in. */
  readonly searchPath: string;
}

/**
 * Places to show, read-only. A path in the arguments is the operator's word for itself; a program brings the folder of its
 * package, never a whole home.
 * @param hidden Never shown, nor anything in it: the state directory.
 * @param home Of the operator: too much for any program.
 */
export function shownPlaces(
  { command, args, searchPath }: Program,
  hidden: string,
  home: string | undefined,
): readonly string[] {
  const named = args.flatMap((arg) => pathIn(arg) ?? []);
  const found = [findProgram(command, searchPath), ...named].flatMap((path) => path ?? []);
  const places = found.flatMap((path) => [path, ...real(path)]).flatMap((path) => placesOf(path, home));
  return [...new Set(places)].filter(
    (path) => path !== "/" && !SYSTEM.some((root) => path === root) && !isBelow(hidden, path) && fs.existsSync(path),
  );
}

/** `/path` and `--name=/path`. */
function pathIn(arg: string): string | undefined {
  const path = /^(?:--?[\w-]+=)?(\/[^\0]*)$/.exec(arg)?.[1];
  return path !== undefined && fs.existsSync(path) ? path.replace(/(?<=.)\/+$/, "") : undefined;
}

/** @returns undefined also for a path that is not absolute: the sandbox has another directory. */
export function findProgram(command: string, searchPath: string): string | undefined {
  if (command.includes("/")) return isAbsolute(command) && fs.existsSync(command) ? command : undefined;
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, command))
    .find((path) => fs.existsSync(path));
}

function placesOf(path: string, home: string | undefined): readonly string[] {
  if (fs.statSync(path).isDirectory()) return [path];
  const modules = /^(.*?\/node_modules)\//.exec(path)?.[1];
  if (modules !== undefined) return [modules];
  const folder = dirname(path);
  // A virtual environment, a version manager's Node.js: what it runs lies beside it.
  const beside = basename(folder) === "bin" ? ["lib", "pyvenv.cfg"].map((name) => join(folder, "..", name)) : [];
  for (let root = folder; root !== "/" && root !== home && root.split("/").length > 2; root = dirname(root))
    if (MANIFESTS.some((name) => fs.existsSync(join(root, name)))) return [root, ...beside];
  return [path, ...beside];
}

function real(path: string): readonly string[] {
  const target = fs.realpathSync(path);
  return target === path ? [] : [target];
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
