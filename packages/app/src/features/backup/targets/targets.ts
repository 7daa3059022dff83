/** Where a backup goes, by the name that the person gave it. */
import { resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import type { Cli, Input } from "../../../host/cli/command.ts";
import { pathIn } from "../../../config/paths.ts";
import { folderTarget, type BackupTarget } from "../store/target.ts";

export interface Named {
  readonly target: BackupTarget;
  /** That of the settings, or the only one there is: what happens to it is noted in the home. */
  readonly own: boolean;
}

/** The first argument, else `backup.target`. @throws RuntimeError `usage.wrong` for none, or one of a kind that is not known. */
export function targetOf(cli: Cli, input: Input): Named {
  const { environment, places, t } = cli;
  const { currentDirectory, userHome } = environment;
  const [given] = input.args;
  const set = given === undefined ? cli.loadShown().config.backup.target : configured(cli);
  const name = given ?? set ?? "";
  if (name === "") throw new RuntimeError("usage.wrong", t("backup.noTarget"));
  if (/^[a-z0-9+]{2,}:/i.test(name)) throw new RuntimeError("usage.wrong", t("backup.onlyFolders"));
  const own = set === null ? undefined : pathIn(places.home, set, userHome);
  const folder = given === undefined ? own : resolve(currentDirectory, given);
  return { target: folderTarget(folder ?? ""), own: own === undefined || own === folder };
}

/** A home whose settings cannot be read names none: another one may be restored all the same. */
function configured(cli: Cli): string | null {
  try {
    return cli.loadShown().config.backup.target;
  } catch {
    return null;
  }
}
