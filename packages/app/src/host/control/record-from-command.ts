/** What a command did, for the audit log: written by the process that holds the lock, or under the lock when none does. */
import { hasCode, type JsonObject } from "@margay/core";
import { lockDirectory, lockOwner } from "@margay/core/internal";
import { auditOf } from "../audit-log.ts";
import { atHolder, type Holding } from "./holder.ts";
import type { RecordedName } from "./recorded.ts";
import { openLink } from "./terminal-client.ts";

/** What it needs of a command. */
interface Recording extends Holding {
  readonly terminal: { err(text: string): void };
}

/** Two writers would tear the chain. What could not be recorded is said: the deed itself is done by then. */
export async function recordFromCommand(cli: Recording, name: RecordedName, data: JsonObject): Promise<void> {
  const isRecorded =
    (lockOwner(cli.places.home) === undefined && (await recordAlone(cli, name, data))) ||
    (await recordThere(cli, name, data));
  if (!isRecorded) cli.terminal.err(`${cli.t("audit.unrecorded", { name })}\n`);
}

async function recordAlone(cli: Recording, name: RecordedName, data: JsonObject): Promise<boolean> {
  try {
    using _lock = lockDirectory(cli.places.home);
    await using audit = auditOf(cli.places);
    audit.record(name, data);
    await audit.flush();
    return true;
  } catch (error) {
    if (hasCode(error, "state.locked")) return false; // one has just started
    throw error;
  }
}

/** @returns false when nobody answers. */
async function recordThere(cli: Recording, name: RecordedName, data: JsonObject): Promise<boolean> {
  try {
    const recorded = await atHolder(cli, async (path, patience) => {
      using link = await openLink(path, patience);
      return await link.ask("operation", { name: "audit.record", input: { name, data } });
    });
    return recorded !== undefined;
  } catch (error) {
    if (hasCode(error, "state.locked", "process.stopping")) return false;
    throw error;
  }
}
