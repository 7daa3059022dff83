/** Channels: requests first, then each channel with its state; the people admitted and what waits to be sent. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { ChannelCard } from "./card.tsx";
import { Outbox } from "./outbox.tsx";
import { Pairings } from "./pairings.tsx";
import { People } from "./people.tsx";
import { SetUp } from "./setup.tsx";
import type { ChannelView, Kind } from "./types.ts";

type Tab = "channels" | "people" | "outbox";

/** Before the kind of an account that has no name yet: no channel is called so. */
const NEW = "~new/";

export function ChannelsPage({ rest }: PanelProps) {
  if (rest === undefined) return <Overview />;
  return rest.startsWith(NEW) ? <SetUp kindOfNew={rest.slice(NEW.length)} /> : <SetUp id={rest} />;
}

function Overview() {
  const channels = useResource<readonly ChannelView[]>("/channels", "channels");
  const kinds = useResource<readonly Kind[]>("/channels/kinds");
  const [tab, setTab] = useState<Tab>("channels");
  const waiting = channels.data?.reduce((sum, { outbox }) => sum + outbox.failed, 0);
  return (
    <>
      <Pairings />
      <Tabs
        label={t("tabs")}
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { id: "channels", title: t("channels") },
          { id: "people", title: t("people") },
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
        {tab === "people" && <People />}
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
        {kinds.map(({ kind, title, needs, qr }) => {
          const isThere = channels.some((one) => one.id === kind || one.kind === kind);
          return (
            <li key={kind} class="p-card">
              <PanelLink to={isThere ? `channels/${NEW}${kind}` : `channels/${kind}`} class="p-title">
                {title}
              </PanelLink>
              <span class="p-faint">{isThere ? t("another") : t(qr ? "qr" : NEEDS[needs])}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
