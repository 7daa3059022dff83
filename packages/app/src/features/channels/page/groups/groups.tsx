/** Groups of each channel: how margay behaves in them, and those it has seen. */
import { t } from "./texts.ts";
import { Empty, Loaded } from "../../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../../web/panel-kit/resource.ts";
import type { ChannelView, GroupsView } from "../types.ts";
import { GroupCard } from "./card.tsx";
import { Manners } from "./manners.tsx";

export function Groups({ channels }: { readonly channels: readonly ChannelView[] }) {
  if (channels.length === 0) return <Empty>{t("noChannel")}</Empty>;
  return (
    <div class="stack">
      <p class="muted">{t("about")}</p>
      {channels.map((channel) => (
        <section key={channel.id} class="stack" aria-label={t("of", { name: channel.id })}>
          <h3>{channel.id}</h3>
          <GroupsOf channel={channel} />
        </section>
      ))}
    </div>
  );
}

function GroupsOf({ channel }: { readonly channel: ChannelView }) {
  const groups = useResource<GroupsView>(`/channels/${encodeURIComponent(channel.id)}/groups`, "channels", "system");
  return (
    <Loaded of={groups}>
      {(view) => (
        <>
          <Manners channel={channel} view={view} reload={groups.reload} />
          {view.groups.length === 0 ? (
            <p class="muted">{t("none")}</p>
          ) : (
            <ul class="p-cards">
              {view.groups.map((group) => (
                <GroupCard key={group.chat} channel={channel} view={view} group={group} reload={groups.reload} />
              ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  );
}
