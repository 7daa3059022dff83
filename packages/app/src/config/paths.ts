/** Where things are: the state directory, its files, and the workspace, which must not contain it. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, openFileDocs, type Docs } from "@margay/core/internal";
import type { Translate } from "../texts/translate.ts";

export interface Places {
  /** The state directory. */
  readonly home: string;
  readonly config: string;
  /** Values of secret keys, one file each. */
  readonly secrets: string;
  /** Requests of other margay commands to the process that holds the lock. */
  readonly control: string;
  /** Who is paired, and what channels keep. */
  readonly channels: string;
  readonly log: string;
  /** The small files of the state directory, by their path below it. */
  readonly docs: Docs;
}

export interface HomeOptions {
  /** `--home`. */
  readonly flag: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly currentDirectory: string;
}

/** `--home`, then MARGAY_HOME, then `~/.margay`; an empty one is none. */
export function placesOf({ flag, env, userHome, currentDirectory }: HomeOptions): Places {
  const chosen = [flag, env.MARGAY_HOME].find((one) => one !== undefined && one !== "") ?? join(userHome, ".margay");
  const home = resolve(currentDirectory, expandTilde(chosen, userHome));
  return {
    home,
    config: join(home, "config.json"),
    secrets: join(home, "secrets"),
    control: join(home, "control"),
    channels: join(home, "channels"),
    log: join(home, "margay.log"),
    docs: openFileDocs(home), // touches nothing yet
  };
}

/** The configured path: absolute, under `~`, or relative to the state directory. */
export function pathIn(home: string, path: string, userHome: string): string {
  const plain = expandTilde(path, userHome);
  return isAbsolute(plain) ? resolve(plain) : resolve(home, plain);
}

/**
 * File tools may write anywhere in the workspace, so journals and configuration must be elsewhere.
 * @throws RuntimeError `state.inside-workspace`, naming both.
 */
export function refuseHomeInside(home: string, workspace: string, t: Translate): void {
  if (!isInside(real(workspace), real(home))) return;
  throw new RuntimeError("state.inside-workspace", t("config.inside", { home, workspace }), {
    details: { home, workspace },
  });
}

/** Links resolved as far as the path exists. */
function real(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(real(parent), relative(parent, path));
}

function expandTilde(path: string, userHome: string): string {
  if (path === "~") return userHome;
  return path.startsWith("~/") ? join(userHome, path.slice(2)) : path;
}
