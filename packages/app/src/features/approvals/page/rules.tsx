/** Rules that were saved; each can be taken back. */
import type { z } from "zod";
import type { RulesSchema } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { Table } from "../../../web/ui/table.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

const ACTIONS = { allow: "allow", ask: "ask", deny: "denyWord" } as const;

type Saved = z.infer<typeof RulesSchema>;

export function Rules() {
  const rules = useResource<Saved>("/policy/rules", "approvals");
  const acting = useAct();
  const remove = (id: string): void =>
    void acting.run(async () => {
      await api.delete(`/policy/rules/${encodeURIComponent(id)}`);
      toast(t("ruleRemoved"));
      await rules.reload();
    });
  return (
    <Loaded of={rules}>
      {(items) =>
        items.length === 0 ? (
          <Empty>{t("noRules")}</Empty>
        ) : (
          <div class="stack">
            <Outcome of={acting} />
            <Table
              caption={t("rules")}
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: "tool",
                  title: c("tool"),
                  cell: ({ tool, action }) => (
                    <>
                      <code>{tool}</code>
                      <div class="p-faint">{t(ACTIONS[action])}</div>
                    </>
                  ),
                  sort: ({ tool }) => tool,
                },
                {
                  id: "match",
                  title: t("match"),
                  cell: (rule) => <Covered rule={rule} />,
                },
                {
                  id: "remove",
                  title: c("actions"),
                  cell: ({ id, tool }) => (
                    <ConfirmButton
                      size="small"
                      kind="quiet"
                      verb={c("remove")}
                      text={t("removeRule", { tool })}
                      go={() => remove(id)}
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

function Covered({ rule: { match, session, covers, by, at } }: { readonly rule: Saved[number] }) {
  return (
    <>
      {covers !== undefined ? (
        <code class="p-covers">{covers}</code>
      ) : match === undefined ? (
        t("ruleAny")
      ) : (
        <code>{match}</code>
      )}
      {by !== undefined && at !== undefined && <div class="p-faint">{t("ruleBy", { by, when: dateTime(at) })}</div>}
      {session !== undefined && <div class="p-faint">{t("ruleChat")}</div>}
    </>
  );
}
