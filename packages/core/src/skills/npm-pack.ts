/** Downloads an npm package without installing it: no scripts run, nothing is unpacked by npm. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeDirectory } from "../machine/files/files.ts";
import { refused } from "./skill-files.ts";

export interface PackedPackage {
  /** `name@version`. */
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

const TIMEOUT_MS = 120_000;
/** A name of the registry with a version or tag. Addresses and git repositories would run code of theirs to be packed. */
const PACKAGE = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:@[\w.^~<>=*+-]+)?$/i;

/** @throws RuntimeError `skill.refused`. */
export async function packPackage(
  source: string,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<PackedPackage> {
  if (!PACKAGE.test(source))
    throw refused(`${JSON.stringify(source.slice(0, 200))} is neither there nor the name of an npm package`);
  makeDirectory(directory);
  const { execFile } = process.getBuiltinModule("node:child_process"); // at first use
  const args = ["pack", source, "--ignore-scripts", "--json", "--silent", "--pack-destination", directory];
  let stdout: string;
  try {
    ({ stdout } = await promisify(execFile)("npm", args, {
      cwd: directory,
      env: { ...environment },
      timeout: TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
      signal,
    }));
  } catch (error) {
    signal.throwIfAborted();
    throw refused(`npm could not fetch ${source} (${reasonOf(error)})`);
  }
  const [file, ...others] = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
  if (file === undefined || others.length > 0) throw refused(`npm did not bring exactly one archive for ${source}`);
  const { name, version } = described(stdout);
  return {
    name: name ?? source,
    id: name === undefined ? source : `${name}@${version ?? "?"}`,
    path: join(directory, file),
  };
}

function described(stdout: string): { readonly name?: string; readonly version?: string } {
  try {
    const [first] = JSON.parse(stdout) as readonly { readonly name?: string; readonly version?: string }[]; // npm pack --json
    return first ?? {};
  } catch {
    return {}; // only names are lost
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && error.code === "ENOENT") return "npm is not installed";
  const { stderr } = error as { readonly stderr?: unknown }; // of execFile
  const line = typeof stderr === "string" ? /^npm (?:error|ERR!) (?!code)(.+)$/m.exec(stderr)?.[1] : undefined;
  return (line ?? error.message.split("\n")[0] ?? "").slice(0, 300);
}
