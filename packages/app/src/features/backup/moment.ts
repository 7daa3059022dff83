/** One moment of a state directory that somebody may be working on. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lockDirectory, lockOwner } from "@margay/core/internal";
import type { Cli } from "../../host/cli/command.ts";
import { atHolder } from "../../host/control/holder.ts";
import { openLink } from "../../host/control/terminal-client.ts";
import { cutOf, transcriptsOf, type Cut } from "./cut.ts";

export interface Moment {
  readonly cut: Cut;
  /** Somebody worked on it, or had died there. */
  readonly live: boolean;
}

/** From whoever holds the home; else under its lock, which a crashed one keeps: the next start settles what it left. */
export async function moment(cli: Cli): Promise<Moment> {
  const { home } = cli.places;
  const transcripts = transcriptsOf(home);
  const held = await atHolder(cli, async (path, patience) => {
    using link = await openLink(path, patience);
    return (await link.ask("operation", { name: "backup.cut", input: {} })) as Cut; // of that operation
  });
  if (held !== undefined) return { cut: { ...held, logs: { ...transcripts, ...held.logs } }, live: true };
  if (existsSync(join(home, "lock"))) {
    const cut = cutOf(home, transcripts);
    return lockOwner(home) === undefined ? { cut, live: true } : moment(cli);
  }
  using _lock = lockDirectory(home);
  return { cut: cutOf(home), live: false };
}
