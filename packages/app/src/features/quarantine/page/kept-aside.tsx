/** All that was kept aside: commands left it behind, and it would run by itself. */
import { useState } from "preact/hooks";
import type { QuarantineView } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { t as words } from "../../../web/chat/changes/quarantine-texts.ts";
import { visible } from "../../../web/markdown/visible-text.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { QuarantineDialog } from "../../../web/chat/changes/quarantine-dialog.tsx";
import { bytes, relative } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

export function KeptAside() {
  const kept = useResource<QuarantineView>("/quarantine");
  const [shown, setShown] = useState<string | undefined>(undefined);
  return (
    <div class="stack">
      <p class="muted">{t("asideWhy")}</p>
      <Loaded of={kept}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("quarantineNone")}</Empty>
          ) : (
            <Table
              caption={t("quarantine")}
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
