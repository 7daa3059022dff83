/** All that was kept aside: commands left it behind, and it would run by itself. */
import { useState } from "preact/hooks";
import type { QuarantineView } from "../../../../../app/src/gateway/schema/quarantine.ts";
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-safety.ts";
import { t as words } from "../../../i18n/quarantine.ts";
import { visible } from "../../../markdown/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { Table } from "../../../ui/table.tsx";
import { QuarantineDialog } from "../../quarantine-dialog.tsx";
import { bytes, relative } from "../kit/format.ts";
import { Empty, Loaded } from "../kit/loaded.tsx";
import { useResource } from "../kit/resource.ts";

export function KeptAside() {
  const kept = useResource<QuarantineView>("/quarantine");
  const [shown, setShown] = useState<string | undefined>(undefined);
  return (
    <div class="stack">
      <p class="muted">{t("asideWhy")}</p>
      <Loaded of={kept}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("asideNone")}</Empty>
          ) : (
            <Table
              caption={t("aside")}
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: "path",
                  title: t("asidePath"),
                  cell: ({ path }) => visible(path),
                  sort: ({ path }) => path,
                  mono: true,
                },
                { id: "why", title: t("asideFor"), cell: ({ why }) => visible(why), sort: ({ why }) => why },
                {
                  id: "size",
                  title: t("asideSize"),
                  align: "end",
                  cell: (one) => bytes(one.bytes),
                  sort: (one) => one.bytes,
                },
                { id: "at", title: c("when"), cell: ({ at }) => relative(at), sort: ({ at }) => at },
                {
                  id: "show",
                  title: c("actions"),
                  cell: ({ id, path }) => (
                    <Button size="small" aria-label={words("showOf", { path })} onClick={() => setShown(id)}>
                      {words("show")}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {shown !== undefined && (
        <QuarantineDialog id={shown} onClose={() => setShown(undefined)} onDone={() => void kept.reload()} />
      )}
    </div>
  );
}
