/** Who may write, and as what. */
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Table } from "../../../web/ui/table.tsx";
import { Act, type Acting, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { dateTime, relative } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { Contact } from "./types.ts";

export function People() {
  const contacts = useResource<readonly Contact[]>("/contacts", "channels");
  const acting = useAct();
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
            <Table
              caption={t("people")}
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: "person",
                  title: t("person"),
                  cell: (contact) => <Person contact={contact} />,
                  sort: ({ name, person, sender }) => name ?? person ?? sender,
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
                  cell: (contact) =>
                    (contact.role === "paired" || (contact.role === "operator" && contact.person === undefined)) && (
                      <Actions
                        contact={contact}
                        acting={acting}
                        setRole={setRole(contact.id, contact.role === "paired" ? "operator" : "paired")}
                        revoke={() => revoke(contact.id)}
                      />
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

interface ActionsProps {
  readonly contact: Contact;
  readonly acting: Acting;
  readonly setRole: () => Promise<void>;
  readonly revoke: () => void;
}

function Actions({ contact, acting, setRole, revoke }: ActionsProps) {
  return (
    <div class="p-row">
      <Act acting={acting} work={setRole} size="small" kind="quiet">
        {t(contact.role === "paired" ? "makeOperator" : "makePaired")}
      </Act>
      <ConfirmButton
        size="small"
        kind="quiet"
        verb={t("revoke")}
        text={t("revokeAsk", { name: contact.name ?? contact.sender })}
        go={revoke}
      />
    </div>
  );
}

function Person({ contact: { name, person, sender } }: { readonly contact: Contact }) {
  return (
    <>
      {name ?? person ?? sender}
      {(name ?? person) !== undefined && <div class="p-faint p-mono">{sender}</div>}
    </>
  );
}
