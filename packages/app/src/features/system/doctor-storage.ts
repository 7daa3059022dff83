/** What only the running process knows: whether it can store what it is told, and how its platforms are. */
import { isRecord } from "@margay/core/internal";
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

/** Of one channel. */
interface Platform {
  readonly id: string;
  readonly state: string;
  readonly error?: string;
}

/** How the channels of the running gateway are; none when there is no gateway. */
export async function platformsOf(cli: Cli): Promise<readonly Platform[]> {
  const channels = await findGateway(cli)
    ?.request("GET", "/channels")
    .catch(() => undefined); // as above
  return (Array.isArray(channels) ? channels : []).filter(isPlatform);
}

function isPlatform(value: unknown): value is Platform {
  return isRecord(value) && typeof value["id"] === "string" && typeof value["state"] === "string";
}

export function platformFindings(platforms: readonly Platform[], { t }: Pick<Cli, "t">): readonly Finding[] {
  return platforms.flatMap(({ id, state, error = "" }): readonly Finding[] => {
    if (state !== "degraded" && state !== "retrying" && state !== "failed") return [];
    const level = state === "failed" ? "problem" : "warning";
    return [
      {
        id: "channels",
        level,
        text: t(`doctor.platform.${state}`, { id, error }),
        repair: `margay channels test ${id}`,
      },
    ];
  });
}
