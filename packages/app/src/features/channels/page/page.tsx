/** Channels: requests first, then each channel with its state, its groups, the people admitted, agents, and what waits to be sent. */
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Agents } from "./agents/agents.tsx";
import { ChannelCard } from "./card.tsx";
import { Groups } from "./groups/groups.tsx";
import { Outbox } from "./outbox.tsx";
import { Pairings } from "./pairings.tsx";
import { People } from "./people.tsx";
import { Persons } from "./persons.tsx";
import { Shares } from "./shares.tsx";
import { SetUp } from "./setup.tsx";
import type { ChannelView, Kind } from "./types.ts";

const TABS = ["channels", "groups", "people", "agents", "outbox"] as const;
type Tab = (typeof TABS)[number];

/** Before the kind of an account that has no name yet, as `~` is before a tab: no channel is called so. */
const NEW = "~new/";

export function ChannelsPage({ rest = "" }: PanelProps) {
  if (rest.startsWith(NEW)) return <SetUp kindOfNew={rest.slice(NEW.length)} />;
  const tab = TABS.find((one) => rest === addressOf(one));
  return tab === undefined ? <SetUp id={rest} /> : <Overview tab={tab} />;
}

/** What follows `channels/`; the first one needs nothing. */
function addressOf(tab: Tab): string {
  return tab === "channels" ? "" : `~${tab}`;
}

function choose(tab: Tab): void {
  const rest = addressOf(tab);
  navigate({ panel: rest === "" ? "channels" : `channels/${rest}` }, { replace: true });
}

function Overview({ tab }: { readonly tab: Tab }) {
  const channels = useResource<readonly ChannelView[]>("/channels", "channels");
  const kinds = useResource<readonly Kind[]>("/channels/kinds");
  // Nothing more becomes of these by itself.
  const waiting = channels.data?.reduce((sum, { outbox }) => sum + outbox.failed + outbox.uncertain, 0);
  return (
    <>
      <Pairings />
      <Tabs
        label={t("tabs")}
        chosen={tab}
        onChoose={choose}
        tabs={[
          { id: "channels", title: t("channels") },
          { id: "groups", title: t("groups") },
          { id: "people", title: t("people") },
          { id: "agents", title: t("agents") },
          { id: "outbox", title: t("outbox"), count: waiting },
        ]}
      >
        {tab === "channels" && (
          <Loaded of={channels}>
            {(items) => (
              <div class="stack">
                {items.length === 0 ? (
                  <Empty>{t("none")}</Empty>
                ) : (
                  <ul class="p-cards">
                    {items.map((channel) => (
                      <ChannelCard key={channel.id} channel={channel} reload={channels.reload} />
                    ))}
                  </ul>
                )}
                <Loaded of={kinds}>{(all) => <Kinds kinds={all} channels={items} />}</Loaded>
              </div>
            )}
          </Loaded>
        )}
        {tab === "groups" && <Loaded of={channels}>{(items) => <Groups channels={items} />}</Loaded>}
        {tab === "people" && (
          <div class="stack">
            <Persons />
            <Shares />
            <section class="stack" aria-label={t("mayWrite")}>
              <h3>{t("mayWrite")}</h3>
              <People />
            </section>
          </div>
        )}
        {tab === "agents" && <Agents />}
        {tab === "outbox" && <Outbox />}
      </Tabs>
    </>
  );
}

const NEEDS = { poll: "needs_poll", socket: "needs_socket", webhook: "needs_webhook" } as const;

function Kinds({ kinds, channels }: { readonly kinds: readonly Kind[]; readonly channels: readonly ChannelView[] }) {
  return (
    <section class="stack">
      <h3>{t("add")}</h3>
      <ul class="p-grid">
        {kinds.map(({ kind, title, needs, login }) => {
          const isThere = channels.some((one) => one.id === kind || one.kind === kind);
          return (
            <li key={kind} class="p-card">
              <PanelLink to={isThere ? `channels/${NEW}${kind}` : `channels/${kind}`} class="p-title">
                {title}
              </PanelLink>
              <span class="p-faint">{isThere ? t("another") : t(login === "none" ? NEEDS[needs] : "qr")}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
