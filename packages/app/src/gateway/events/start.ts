/** From the first moment of a gateway on: everything that happens in sessions is followed, and the trash is emptied. */
import { messageOf } from "@margay/core";
import type { Services } from "../services.ts";
import { eventsOf } from "./access.ts";
import { emptyTrash } from "./trash.ts";

const EVERY_MS = 6 * 3_600_000;

export function startEvents(services: Services): void {
  eventsOf(services);
  const { clock, log } = services.app;
  const tidy = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(EVERY_MS, services.closing);
      await emptyTrash(services).catch((error: unknown) => log.error("trash.failed", { message: messageOf(error) }));
    }
  };
  tidy().catch(() => {}); // the gateway closes
}
