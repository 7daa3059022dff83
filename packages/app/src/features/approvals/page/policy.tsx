/** The policy as a table: tool by tool, with and without a person there. */
import type { PolicyView } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { caseName, t } from "../../../web/texts/panels-safety.ts";
import { Table } from "../../../web/ui/table.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Decision = PolicyView["rows"][number]["attended"];

const WORDS = { allow: "allow", ask: "ask", deny: "denyWord" } as const;
const TONES = { allow: "ok", ask: "warn", deny: "danger" } as const;

export function PolicyTable() {
  const policy = useResource<PolicyView>("/policy", "system");
  return (
    <Loaded of={policy}>
      {({ rows }) => (
        <div class="stack">
          <p class="muted">{t("policyWhy")}</p>
          <Table
            caption={t("policy")}
            rows={rows}
            rowKey={(row) => `${row.tool} ${row.case ?? ""}`}
            columns={[
              { id: "tool", title: c("tool"), cell: (row) => <code>{row.tool}</code>, sort: (row) => row.tool },
              {
                id: "case",
                title: t("case"),
                cell: (row) => (row.case === undefined ? "" : caseName(row.case)),
                sort: (row) => row.case,
              },
              {
                id: "attended",
                title: t("attended"),
                cell: (row) => <Verdict of={row.attended} />,
                sort: (row) => row.attended.verdict,
              },
              {
                id: "unattended",
                title: t("unattended"),
                cell: (row) => <Verdict of={row.unattended} />,
                sort: (row) => row.unattended.verdict,
              },
              {
                id: "untrusted",
                title: t("attendedUntrusted"),
                cell: (row) => <Verdict of={row.untrusted.attended} />,
                sort: (row) => row.untrusted.attended.verdict,
              },
              {
                id: "untrustedUnattended",
                title: t("unattendedUntrusted"),
                cell: (row) => <Verdict of={row.untrusted.unattended} />,
                sort: (row) => row.untrusted.unattended.verdict,
              },
            ]}
          />
        </div>
      )}
    </Loaded>
  );
}

function Verdict({ of }: { readonly of: Decision }) {
  return (
    <span title={of.rule}>
      <span class={`badge ${TONES[of.verdict]}`}>{t(WORDS[of.verdict])}</span>
      {of.origin === "rule" && <span class="p-faint"> {t("ruleOwn")}</span>}
    </span>
  );
}
