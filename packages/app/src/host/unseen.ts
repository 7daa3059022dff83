/** Notifications that nobody has seen yet. */
import type { Services } from "./api/services.ts";

export function unseenIn({ app }: Services): number {
  return app.inside.notifications.list().reduce((sum, { count, seen }) => sum + (seen ? 0 : count), 0);
}
