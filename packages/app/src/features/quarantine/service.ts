/** What commands left behind and was kept aside, as chats, commands and the gateway ask for it: each step is a record. */
import { join } from "node:path";
import type { Quarantine, Quarantined } from "@margay/core/internal";
import { openQuarantine, type KeptAside, type Sandbox } from "@margay/core/internal";
import type { AppAudit } from "../../host/audit-events.ts";

type Log = Pick<AppAudit, "record">;

export interface QuarantineDeps {
  readonly audit: Log;
  readonly sandbox: Pick<Sandbox, "writing">;
  /** What is shown goes into chats and journals. */
  readonly redact: (text: string) => string;
}

/** @param home The state directory. */
export function quarantineOf(home: string, { audit, sandbox, redact }: QuarantineDeps): Quarantine {
  const quarantine = openQuarantine(join(home, "quarantine"));
  const clean = (item: Quarantined): Quarantined =>
    item.text === undefined ? item : { ...item, text: redact(item.text) };
  return {
    list: async () => (await quarantine.list()).map(clean),
    takeBack: async (id, sha256, by) => {
      const item = (await quarantine.list()).find((one) => one.id === id);
      if (item !== undefined) sandbox.writing(item.path); // a command that runs now has nothing to do with it
      const done = await quarantine.takeBack(id, sha256, by);
      if (done.status === "taken back") audit.record("quarantine.taken-back", { path: done.path, sha256, by });
      return done;
    },
    remove: async (id, by) => {
      const done = await quarantine.remove(id, by);
      if (done.status === "removed") audit.record("quarantine.removed", { path: done.path, by });
      return done;
    },
  };
}

export function recordKept(audit: Log, { id, path, why }: KeptAside): void {
  audit.record("quarantine.kept", { id, path, why });
}
