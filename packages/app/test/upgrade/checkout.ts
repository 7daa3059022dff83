/** A release as a checkout of its own, built: a worktree in a temporary folder, that git forgets with the folder. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./releases.ts";

export interface Checkout extends AsyncDisposable {
  readonly root: string;
  /** `bin/margay.js` of it. */
  readonly program: string;
  /** As it calls its commit. */
  readonly name: string;
}

/** A checkout that somebody built. @throws Error when nobody did. */
export function builtCheckout(root: string): Checkout {
  const program = join(root, "packages/app/bin/margay.js");
  if (!existsSync(join(root, "packages/app/dist")))
    throw new Error(`${root} is not built. Run \`npm ci && npm run build\` in it, or let the drill build a release.`);
  return {
    root,
    program,
    name: git(root, "log", "-1", "--format=%h of %cs").trim(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** @param said What npm and the build print. @throws Error when there is no such commit, or it cannot be built. */
export async function buildCheckout(ref: string, said: (text: string) => void): Promise<Checkout> {
  const commit = git(ROOT, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`).trim();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-release-")));
  const root = join(folder, "margay");
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    git(ROOT, "worktree", "prune");
  };
  try {
    git(ROOT, "worktree", "add", "--quiet", "--detach", root, commit);
    await run(root, "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], said);
    // The Node of that release, which its own lock file names.
    const bin = join(root, "node_modules/.bin");
    await run(root, "npm", ["run", "build"], said, { PATH: `${bin}:${process.env["PATH"] ?? ""}` });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    ...builtCheckout(root),
    [Symbol.asyncDispose]: () => {
      remove();
      return Promise.resolve();
    },
  };
}

export function git(directory: string, ...words: readonly string[]): string {
  return execFileSync("git", ["-C", directory, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

async function run(
  cwd: string,
  command: string,
  words: readonly string[],
  said: (text: string) => void,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let last = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      last = `${last}${text}`.slice(-2000);
      said(text);
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`\`${command} ${words.join(" ")}\` in ${dirname(cwd)} ended with ${code}: ${last}`);
}
