/** From the first moment of a gateway on: everything that happens in sessions is followed, and what nobody needs is removed. */
import { messageOf, type Millis } from "@margay/core/internal";
import { announce } from "./announce.ts";
import type { Services } from "../api/services.ts";
import { eventsOf } from "../sessions/access.ts";
import { removeUnsent } from "../sessions/attachments.ts";
import { emptyTrash, endLeftOver } from "../sessions/trash.ts";

const HOUR_MS = 3_600_000;
const EVERY_MS = 6 * HOUR_MS;
/** An upload that was not sent by then never will be. */
const UPLOAD_MS = 24 * HOUR_MS;

export function startEvents(services: Services): void {
  eventsOf(services);
  const { clock, log, inside } = services.app;
  const unwatch = inside.notifications.watch(() => announce(services, "system", "notifications"));
  services.closing.addEventListener("abort", unwatch, { once: true });
  const tidy = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(EVERY_MS, services.closing);
      const before = (clock.now() - UPLOAD_MS) as Millis;
      await removeUnsent(services, before);
      await inside
        .removeUnusedBlobs(before)
        .catch((error: unknown) => log.error("uploads.failed", { message: messageOf(error) }));
      await emptyTrash(services);
    }
  };
  tidy().catch(() => {}); // the gateway closes
}

/** What was left open goes on: pages that came too early read again, and the list is made. */
export function tellBegun(services: Services): void {
  announce(services, "system", "started");
  const { clock, log } = services.app;
  // In pieces, so that the next page finds it. Not before: recovery reads the same journals, and messages wait for that.
  eventsOf(services)
    .index.all()
    .catch((error: unknown) => log.error("sessions.unread", { message: messageOf(error) }));
  const endings = async (): Promise<void> => {
    for (;;) {
      await endLeftOver(services).catch((error: unknown) =>
        log.error("temporary.failed", { message: messageOf(error) }),
      );
      await clock.sleep(HOUR_MS, services.closing);
    }
  };
  endings().catch(() => {}); // the gateway closes
}
