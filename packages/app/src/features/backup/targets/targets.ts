/** Where a backup goes, by the name that the person gave it. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { textOption, type Cli, type Input } from "../../../host/cli/command.ts";
import { pathIn } from "../../../config/paths.ts";
import { folderTarget, type BackupTarget } from "../store/target.ts";
import type { Remote } from "./remote-lock.ts";
import type { Login, ServerOptions } from "./server.ts";

export interface Named {
  readonly target: BackupTarget;
  /** That of the settings, or the only one there is: what happens to it is noted in the home. */
  readonly own: boolean;
}

/** `http:` is none: what is meant there is WebDAV or S3. A drive of Windows has one letter. */
const SCHEME = /^[a-z0-9+]{2,}:/i;
/** User and password before the host: those of a target stand in the settings, and not in what is shown and logged. */
const LOGIN = /:\/\/[^/@]*@/;

/** The first argument, else `backup.target`. @throws RuntimeError `usage.wrong` for none, or one of a kind that is not known. */
export async function targetOf(cli: Cli, input: Input): Promise<Named> {
  const { environment, places, t } = cli;
  const { currentDirectory, userHome } = environment;
  const [given] = input.args;
  const set = given === undefined ? cli.loadShown().config.backup.target : configured(cli);
  const name = given ?? set ?? "";
  if (name === "") throw new RuntimeError("usage.wrong", t("backup.noTarget"));
  if (SCHEME.test(name)) {
    if (LOGIN.test(name)) throw new RuntimeError("usage.wrong", t("backup.loginInName"));
    const login = loginOf(cli, input, name === set);
    const remote = await remoteOf(name, { name, login, clock: systemClock(), signal: cli.signal }, cli);
    const { withLock } = await import("./remote-lock.ts");
    return { target: withLock(remote, places.home, systemClock()), own: set === null || name === set };
  }
  const own = set === null || SCHEME.test(set) ? undefined : pathIn(places.home, set, userHome);
  const folder = given === undefined ? own : resolve(currentDirectory, given);
  return { target: folderTarget(folder ?? ""), own: set === null || own === folder };
}

async function remoteOf(name: string, options: ServerOptions, cli: Cli): Promise<Remote> {
  if (name.startsWith("s3:")) return (await import("./s3.ts")).s3Target(options);
  if (/^webdavs?:/.test(name)) return (await import("./webdav.ts")).webdavTarget(options);
  if (name.startsWith("restic:"))
    return (await import("./restic.ts")).resticTarget({ ...options, env: cli.environment.env });
  throw new RuntimeError("usage.wrong", cli.t("backup.unknownTarget"));
}

/** The settings' login is for the settings' target: no other server ever sees it. */
function loginOf(cli: Cli, input: Input, isOwn: boolean): Login {
  const file = textOption(input, "passwordFile");
  const { user: setUser, password: setPassword } = isOwn ? cli.load().config.backup : {};
  const user = textOption(input, "user") ?? setUser;
  const password =
    file === undefined
      ? setPassword
      : readFileSync(resolve(cli.environment.currentDirectory, file), "utf8").replace(/\r?\n$/, "");
  return { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
}

/** A home whose settings cannot be read names none: another one may be restored all the same. */
function configured(cli: Cli): string | null {
  try {
    return cli.loadShown().config.backup.target;
  } catch {
    return null;
  }
}
