/** A rehearsal: a snapshot is restored beside the home, read as a start would read it, and removed. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { auditOf } from "../../host/audit-log.ts";
import { readArchive, type Archived } from "../../host/cli/archive.ts";
import type { Cli } from "../../host/cli/command.ts";
import { stateOf } from "../../host/cli/archive.ts";
import { placesOf } from "../../config/paths.ts";
import { restoreSnapshot } from "./restore.ts";
import { backupFolder } from "./state.ts";
import type { Snapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";

export interface Drilled {
  readonly files: number;
  /** Conversations that were read to their end. */
  readonly sessions: number;
}

const PLACE = "drill-";

/** @throws RuntimeError `backup.damaged`, `backup.unusable` naming what does not fit. */
export async function drill(cli: Cli, store: Store, snapshot: Snapshot): Promise<Drilled> {
  const folder = backupFolder(cli.places.home);
  // Of a rehearsal that was killed: all of a home in the clear. Whoever is here holds the lock of the folder.
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name.startsWith(PLACE)) rmSync(join(folder, name), { recursive: true, force: true });
  const to = join(folder, `${PLACE}${randomBytes(4).toString("hex")}`);
  const { signal, language, t } = cli;
  try {
    const { files } = await restoreSnapshot(store, snapshot, {
      to,
      userHome: cli.environment.userHome,
      signal,
    });
    const places = placesOf({ flag: to, env: {}, userHome: to, currentDirectory: to });
    const read = async (session: Archived): Promise<void> => {
      await stateOf(session);
      await needBlobs(to, session);
    };
    const { found, damaged } = await readArchive({ places, language, t }, read);
    const [first] = damaged;
    if (first !== undefined) throw unusable(`${first.key}: ${messageOf(first.error)}`);
    await needAudit(places, snapshot);
    return { files, sessions: found.length };
  } finally {
    rmSync(to, { recursive: true, force: true });
  }
}

/** Whatever a commit names is there: by hash and size, for the arguments of a call may hold a hash of anything. */
async function needBlobs(home: string, { commits }: Archived): Promise<void> {
  for await (const commit of commits())
    for (const [, name = ""] of JSON.stringify(commit).matchAll(/"sha256":"([0-9a-f]{64})","bytes":\d+/g))
      if (!existsSync(join(home, "blobs", name.slice(0, 2), name))) throw unusable(`blobs/${name.slice(0, 12)}`);
}

/** Whole, and with the head that was noted. What was still owed to it at that moment is what a start writes. */
async function needAudit(places: Parameters<typeof auditOf>[0], { audit }: Snapshot): Promise<void> {
  if (audit === undefined) return;
  const { broken } = await auditOf(places, { owed: () => Promise.resolve(undefined) }).verify(audit);
  if (broken !== undefined) throw unusable(`audit: ${broken.message}`);
}

function unusable(what: string): RuntimeError {
  return new RuntimeError(
    "backup.unusable",
    `The snapshot was restored for trial, and is not what a home must be: ${what}. Make a new backup and try again with \`margay backup drill\`.`,
  );
}
