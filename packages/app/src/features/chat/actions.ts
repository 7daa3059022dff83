/** What the terminal chat shows around a conversation: its name and branch, what waits elsewhere, what was spent today. */
import { z } from "zod";
import type { Services } from "../../host/api/services.ts";
import { operation } from "../../host/control/operation.ts";
import { spentToday } from "../../host/live/spent-today.ts";
import { eventsOf } from "../../host/sessions/access.ts";
import { familyOf } from "../../host/sessions/family.ts";
import { titleOf } from "../../host/sessions/marks.ts";
import type { ChatFacts } from "../../host/tui/facts.ts";

export const CHAT_OPERATIONS = {
  "chat.about": operation(
    z.strictObject({ key: z.string() }),
    async ({ key }, { app, services }): Promise<ChatFacts> => {
      const all = await app.agent.sessions.list();
      const [branch, asked, spent] = await Promise.all([
        branchOf(services, key),
        app.agent.approvals(),
        spentToday(services),
      ]);
      const here = all.find((one) => one.key === key);
      const title = here === undefined ? "" : titleOf(eventsOf(services).marks.of(here.id), here);
      const { costUsd: todayUsd, dayUsd } = spent;
      const { thinking } = app.agent.settings;
      return {
        waits: asked.filter(({ sessionKey }) => sessionKey !== key).length,
        ...(title !== "" && { title }),
        ...(branch !== undefined && { branch }),
        ...(todayUsd !== null && { todayUsd }),
        ...(dayUsd !== undefined && { dayUsd }),
        ...(thinking !== undefined && thinking !== "off" && { thinking }),
      };
    },
  ),
} as const;

/** Which of its branches it is. Undefined where it has none, or nobody has looked yet: a start alone reads no other conversation. */
async function branchOf(services: Services, key: string): Promise<ChatFacts["branch"]> {
  if (eventsOf(services).index.known()[Symbol.iterator]().next().done === true) return undefined;
  const family = (await familyOf(services, key)).toSorted((a, b) => a.createdAt - b.createdAt);
  const at = family.findIndex((one) => one.key === key);
  return family.length > 1 && at >= 0 ? { at: at + 1, of: family.length } : undefined;
}
