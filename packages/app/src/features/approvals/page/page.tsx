/** Approvals: what waits over all chats, what was settled, the saved rules, and what a call would meet. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t as kept } from "../../../web/texts/approval.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { Table } from "../../../web/ui/table.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { PendingCard } from "./card.tsx";
import { Rules } from "./rules.tsx";
import { TryCall } from "./try-call.tsx";
import type { Approval, Approvals } from "./types.ts";

type Tab = "waiting" | "settled" | "rules" | "try";

/** `approvals/SESSION/CALL` opens with that question, as a notice on a phone does. */
export function ApprovalsPage({ rest }: PanelProps) {
  const pending = useResource<Approvals>("/approvals?state=pending&limit=200", "approvals");
  const [tab, setTab] = useState<Tab>("waiting");
  return (
    <Tabs
      label={t("approvalTabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "waiting", title: t("waiting"), count: pending.data?.items.length },
        { id: "settled", title: t("settled") },
        { id: "rules", title: t("rules") },
        { id: "try", title: t("tryCall") },
      ]}
    >
      {tab === "waiting" && (
        <Loaded of={pending}>{({ items }) => <Waiting items={items} asked={rest} reload={pending.reload} />}</Loaded>
      )}
      {tab === "settled" && <Settled />}
      {tab === "rules" && <Rules />}
      {tab === "try" && <TryCall />}
    </Tabs>
  );
}

interface WaitingProps {
  readonly items: readonly Approval[];
  /** Session and call of the one that stands first. */
  readonly asked: string | undefined;
  readonly reload: () => Promise<void>;
}

function Waiting({ items, asked, reload }: WaitingProps) {
  const first = items.find(({ session, call }) => `${session}/${call}` === asked);
  const others = items.filter((one) => one !== first).toSorted((a, b) => a.requestedAt - b.requestedAt);
  const shown = first === undefined ? others : [first, ...others];
  return (
    <>
      {asked !== undefined && first === undefined && <p role="status">{t("settledMeanwhile")}</p>}
      {shown.length === 0 && <Empty>{t("noneWaiting")}</Empty>}
      <ul class="p-cards" hidden={shown.length === 0}>
        {shown.map((approval) => (
          <PendingCard
            key={`${approval.session} ${approval.call} ${approval.hash}`}
            approval={approval}
            isAsked={approval === first}
            reload={reload}
          />
        ))}
      </ul>
    </>
  );
}

function Settled() {
  const settled = useResource<Approvals>("/approvals?state=settled&limit=100", "approvals");
  return (
    <Loaded of={settled}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty>{t("noneSettled")}</Empty>
        ) : (
          <Table
            caption={t("settled")}
            rows={items}
            rowKey={(one) => `${one.session} ${one.call}`}
            start={{ column: "at", down: true }}
            columns={[
              {
                id: "at",
                title: c("when"),
                cell: (one) => dateTime(one.resolved?.at ?? one.requestedAt),
                sort: (one) => one.resolved?.at ?? one.requestedAt,
              },
              { id: "tool", title: c("tool"), cell: (one) => <code>{one.tool}</code>, sort: (one) => one.tool },
              { id: "call", title: t("call"), cell: (one) => <code class="p-clip">{one.display}</code> },
              {
                id: "verdict",
                title: t("verdict"),
                cell: (one) =>
                  one.resolved === undefined ? (
                    one.expired === true && t("expired")
                  ) : (
                    <>
                      {t("settledBy", {
                        verdict: t(one.resolved.verdict === "allow" ? "allowed" : "denied"),
                        by: one.resolved.by ?? "",
                      })}
                      {one.resolved.remember !== undefined && ` ${kept(`kept.${one.resolved.remember}`)}`}
                      {one.resolved.reason !== undefined && <div class="p-faint">{one.resolved.reason}</div>}
                    </>
                  ),
                sort: (one) => one.resolved?.verdict,
              },
              { id: "chat", title: c("chat"), cell: (one) => <ChatLink session={one.session}>{c("open")}</ChatLink> },
            ]}
          />
        )
      }
    </Loaded>
  );
}
