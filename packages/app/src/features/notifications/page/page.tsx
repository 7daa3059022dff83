/** What nobody was sent: where to read it, and that it was seen, here and on every other page. */
import type { z } from "zod";
import type { NotificationsSchema } from "../schema.ts";
import { eventName, t } from "./texts.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { ChatLink, PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Notifications = z.infer<typeof NotificationsSchema>;
type Notification = Notifications["items"][number];
type See = (items: readonly Notification[]) => () => Promise<void>;

export function NotificationsPage() {
  const notifications = useResource<Notifications>("/notifications", "system");
  const acting = useAct();
  const see: See = (items) => async () => {
    const { body } = await api.post<Notifications>("/notifications/seen", { ids: items.map(({ id }) => id) });
    notifications.put(body);
  };
  return (
    <div class="stack">
      <p class="muted">{t("why")}</p>
      <Loaded of={notifications}>
        {({ items }) => {
          const fresh = items.filter(({ seen }) => !seen);
          if (items.length === 0) return <Empty>{t("none")}</Empty>;
          return (
            <>
              <Outcome of={acting} />
              {fresh.length > 1 && (
                <div>
                  <Act acting={acting} work={see(fresh)} icon="check">
                    {t("allSeen")}
                  </Act>
                </div>
              )}
              <ul class="p-cards">
                {[...fresh, ...items.filter(({ seen }) => seen)].map((item) => (
                  <Card key={`${item.kind} ${item.about}`} item={item} see={see([item])} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function Card({ item, see }: { readonly item: Notification; readonly see: () => Promise<void> }) {
  const acting = useAct();
  const { kind, about, session, count, at, seen } = item;
  const [what = "", ...name] = about.split(":");
  return (
    <li class="p-card" data-about={about}>
      <div class="p-row">
        <strong class="grow">
          {kind === "paused" || kind === "question" || kind === "suspended" ? t(kind) : eventName(kind, what)}
        </strong>
        {!seen && <span class="badge accent">{t("new")}</span>}
      </div>
      <p class="p-facts-line">
        <span>{dateTime(at)}</span>
        {count > 1 && <span>{t("times", { n: count })}</span>}
        {name.length > 0 && <code>{name.join(":")}</code>}
      </p>
      <Outcome of={acting} />
      <div class="p-row">
        {kind === "result" && session !== null && <ChatLink session={session}>{t("read")}</ChatLink>}
        {kind === "question" && <PanelLink to="approvals">{t("answer")}</PanelLink>}
        {kind === "suspended" && <code>margay plugin show {name.join(":")}</code>}
        {kind !== "result" && kind !== "question" && kind !== "suspended" && (
          <PanelLink to={pageOf(what, name.join(":"))}>{t("change")}</PanelLink>
        )}
        <span class="grow" />
        {!seen && (
          <Act acting={acting} work={see} icon="check" size="small">
            {t("seen")}
          </Act>
        )}
      </div>
    </li>
  );
}

/** Where the chat is set. */
function pageOf(what: string, name: string): string {
  if (what === "cron") return `cron/${name}`;
  return what === "hook" ? "security" : "heartbeat";
}
