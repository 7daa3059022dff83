/** How questions reach somebody: at which hours without a sound, where all of them stand, and what is left when nobody is anywhere. */
import type { PeopleOptions } from "@margay/core/internal";
import { isOwnEntrance } from "../host/operator.ts";
import { quietHours } from "../host/settings/quiet.ts";
import type { Ground } from "./ground.ts";

export function askedManners({
  current,
  notifications,
  pages,
  log,
}: Pick<Ground, "current" | "notifications" | "pages" | "log">): NonNullable<PeopleOptions["asked"]> {
  return {
    quietUntil: quietHours(() => current.loaded),
    page: () => {
      const { publicUrl } = current.loaded.config.gateway;
      return publicUrl === null ? undefined : `${new URL(publicUrl).origin}/?p=approvals`;
    },
    unseen: ({ id, session }) => {
      const channel = session.slice(0, session.indexOf(":"));
      // Whoever is at a terminal sees it there.
      if (pages.isOpen() || (isOwnEntrance(channel) && channel !== "web")) return;
      notifications.add({ id, kind: "question", session }).catch((error: unknown) => {
        log.error("notification.failed", { message: error instanceof Error ? error.message : String(error) });
      });
    },
  };
}
