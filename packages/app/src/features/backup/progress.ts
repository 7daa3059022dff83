/** What making a snapshot asks and says on its way, for all commands that make one. */
import { RuntimeError } from "@margay/core";
import { isInside } from "@margay/core/internal";
import type { Cli } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import type { BackupTarget } from "./store/target.ts";

/** @throws RuntimeError `usage.wrong` for a target that would be a part of its own snapshot. */
export function refuseInside(cli: Cli, { folder }: BackupTarget): void {
  if (folder === undefined) return;
  const { workspace } = cli.loadShown();
  if ([cli.places.home, workspace].some((one) => isInside(one, folder)))
    throw new RuntimeError("usage.wrong", cli.t("backup.inside", { folder: safeText(folder) }));
}

export function progressOf(cli: Cli): (files: number, bytes: number) => void {
  const every = cli.json ? 50 : 500;
  return (files, bytes) => {
    if (files % every !== 1) return; // also with the first one

    if (cli.json) cli.terminal.out(jsonLine({ type: "progress", files, bytes }));
    else if (cli.terminal.interactive) cli.terminal.err(`${cli.t("backup.progress", { files, bytes })}\r`);
  };
}
