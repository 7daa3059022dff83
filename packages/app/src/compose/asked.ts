/** How questions reach somebody: at which hours without a sound, where all of them stand, and what is left when nobody is anywhere. */
import { parseQuietHours, type PeopleOptions, quietUntil, zonedClock } from "@margay/core/internal";
import { timeZoneOf } from "../config/load.ts";
import { isOwnEntrance } from "../host/operator.ts";
import { OWNER } from "../host/people.ts";
import type { Ground } from "./ground.ts";

export function askedManners({
  current,
  notifications,
  pages,
  log,
}: Pick<Ground, "current" | "notifications" | "pages" | "log">): NonNullable<PeopleOptions["asked"]> {
  const zones = new Map<string, ReturnType<typeof zonedClock>>();
  const zoneOf = (name: string): ReturnType<typeof zonedClock> => {
    const zone = zones.get(name) ?? zonedClock(name);
    zones.set(name, zone);
    return zone;
  };
  return {
    quietUntil: (person, at) => {
      const { config } = current.loaded;
      const own = Object.hasOwn(config.people, person) ? config.people[person]?.quietHours : undefined;
      const hours = own ?? (person === OWNER ? config.greeting.quietHours : undefined);
      return hours === undefined
        ? undefined
        : quietUntil(at, parseQuietHours(hours), zoneOf(timeZoneOf(current.loaded, person)));
    },
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
