/** Whether the running process can store what it is told: only it knows. */
import type { Cli } from "../../host/cli/command.ts";
import type { Finding } from "../../host/finding.ts";
import { findGateway } from "../../host/control/client.ts";

/** What the disk refuses the running gateway; undefined when there is none, or nothing. */
export async function storageFault(cli: Cli): Promise<string | undefined> {
  const system = await findGateway(cli)
    ?.request("GET", "/system")
    .catch(() => undefined); // it starts or ends
  if (typeof system !== "object" || system === null || !("storage" in system)) return undefined;
  const { storage } = system;
  return typeof storage === "object" && storage !== null && "reason" in storage ? String(storage.reason) : undefined;
}

export function storageFinding(reason: string | undefined, { t, places }: Pick<Cli, "t" | "places">): Finding {
  if (reason === undefined) return { id: "storage", level: "ok", text: t("doctor.storage") };
  const text = t("storage.failed", { reason });
  return { id: "storage", level: "problem", text, repair: `df -h '${places.home}'` };
}
