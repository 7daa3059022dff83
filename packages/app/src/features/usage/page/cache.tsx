/** Requests that could not go on from the cache, with the cause. */
import type { z } from "zod";
import type { CacheMisses } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Table } from "../../../web/ui/table.tsx";
import { dateTime, money, short } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

export function CacheMissList() {
  const misses = useResource<z.infer<typeof CacheMisses>>("/usage/cache?limit=200", "usage");
  return (
    <Loaded of={misses}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty>{t("noMisses")}</Empty>
        ) : (
          <div class="stack">
            <p class="muted">{t("missesWhy")}</p>
            <Table
              caption={t("misses")}
              rows={items}
              rowKey={({ session, seq }) => `${session} ${seq}`}
              start={{ column: "at", down: true }}
              columns={[
                { id: "at", title: c("when"), cell: ({ at }) => dateTime(at), sort: ({ at }) => at },
                {
                  id: "chat",
                  title: c("chat"),
                  cell: ({ session, key }) => <ChatLink session={session}>{key}</ChatLink>,
                  sort: ({ key }) => key,
                },
                {
                  id: "lost",
                  title: t("lost"),
                  align: "end",
                  cell: ({ lostTokens }) => short(lostTokens),
                  sort: ({ lostTokens }) => lostTokens,
                },
                {
                  id: "cost",
                  title: t("missCost"),
                  align: "end",
                  cell: ({ costUsd }) => (costUsd === null ? t("noPrice") : money(costUsd)),
                  sort: ({ costUsd }) => costUsd ?? -1,
                },
                {
                  id: "cause",
                  title: t("cause"),
                  cell: ({ cause }) => <code>{cause}</code>,
                  sort: ({ cause }) => cause,
                },
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}
