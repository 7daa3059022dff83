/** Who may write, and as what. */
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-channels.ts";
import { Button } from "../../../ui/button.tsx";
import { Table } from "../../../ui/table.tsx";
import { Act, Outcome, useAct } from "../kit/act.tsx";
import { api } from "../kit/api.ts";
import { useConfirm } from "../kit/confirm.tsx";
import { dateTime, relative } from "../kit/format.ts";
import { Empty, Loaded } from "../kit/loaded.tsx";
import { useResource } from "../kit/resource.ts";
import type { Contact } from "./types.ts";

export function People() {
  const contacts = useResource<readonly Contact[]>("/contacts", "channels");
  const acting = useAct();
  const confirm = useConfirm();
  const pathOf = (id: string): string => `/contacts/${encodeURIComponent(id)}`;
  const setRole = (id: string, role: "paired" | "operator") => async (): Promise<void> => {
    await api.put(pathOf(id), { role });
    await contacts.reload();
  };
  const revoke = (id: string): void =>
    void acting.run(async () => {
      await api.delete(pathOf(id));
      await contacts.reload();
    });
  return (
    <Loaded of={contacts}>
      {(items) =>
        items.length === 0 ? (
          <Empty>{t("noPeople")}</Empty>
        ) : (
          <div class="stack">
            <Outcome of={acting} />
            {confirm.dialog}
            <Table
              caption={t("people")}
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: "person",
                  title: t("person"),
                  cell: ({ name, sender }) => (
                    <>
                      {name ?? sender}
                      {name !== undefined && <div class="p-faint p-mono">{sender}</div>}
                    </>
                  ),
                  sort: ({ name, sender }) => name ?? sender,
                },
                { id: "channel", title: t("channel"), cell: ({ channel }) => channel, sort: ({ channel }) => channel },
                { id: "role", title: t("role"), cell: ({ role }) => t(`role_${role}`), sort: ({ role }) => role },
                {
                  id: "since",
                  title: t("paired"),
                  cell: ({ pairedAt }) => (pairedAt === undefined ? "" : dateTime(pairedAt)),
                  sort: ({ pairedAt }) => pairedAt,
                },
                {
                  id: "seen",
                  title: t("seen"),
                  cell: ({ lastAt }) => (lastAt === undefined ? c("never") : relative(lastAt)),
                  sort: ({ lastAt }) => lastAt,
                },
                {
                  id: "do",
                  title: c("actions"),
                  cell: ({ id, role, name, sender }) =>
                    role !== "listed" && (
                      <div class="p-row">
                        <Act
                          acting={acting}
                          work={setRole(id, role === "paired" ? "operator" : "paired")}
                          size="small"
                          kind="quiet"
                        >
                          {t(role === "paired" ? "makeOperator" : "makePaired")}
                        </Act>
                        <Button
                          size="small"
                          kind="quiet"
                          onClick={() =>
                            confirm.ask({
                              title: t("revoke"),
                              text: t("revokeAsk", { name: name ?? sender }),
                              yes: t("revoke"),
                              go: () => revoke(id),
                            })
                          }
                        >
                          {t("revoke")}
                        </Button>
                      </div>
                    ),
                },
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}
