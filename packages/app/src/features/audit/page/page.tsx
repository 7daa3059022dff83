/** The audit log: entries with filters and detail, the state of the chain, verify, export. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { AuditEntrySchema, AuditReportSchema } from "../schema.ts";
import { fetchBlob } from "../../../web/api.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { saveBlob } from "../../../web/lib/save-blob.ts";
import { Select, TextField } from "../../../web/ui/field.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty } from "../../../web/panel-kit/loaded.tsx";
import { usePages } from "../../../web/panel-kit/pages.ts";
import { More } from "../../../web/panel-kit/more.tsx";
import { nowMs, useSettled } from "../../../web/panel-kit/time.ts";

type Entry = z.infer<typeof AuditEntrySchema>;
type Report = z.infer<typeof AuditReportSchema>;

const LABELS = { untrusted: "label_untrusted", personal: "label_personal", sensitive: "label_sensitive" } as const;
const BREAKS = {
  edited: "break_edited",
  missing: "break_missing",
  reordered: "break_reordered",
  truncated: "break_truncated",
  key: "break_key",
} as const;
const DECISIONS = { allow: "allow", ask: "ask", deny: "denyWord", none: "anyDecision" } as const;

export function AuditPage() {
  const [tool, setTool] = useState("");
  const [decision, setDecision] = useState("");
  const [kind, setKind] = useState("");
  const [report, setReport] = useState<Report | undefined>(undefined);
  const acting = useAct();
  const wanted = useSettled(tool.trim(), 300);
  const query = new URLSearchParams({
    ...(wanted !== "" && { tool: wanted }),
    ...(decision !== "" && { decision }),
    ...(kind !== "" && { kind }),
  });
  const entries = usePages<Entry>(`/audit?${query}`);
  const verify = async (): Promise<void> => {
    setReport((await api.post<Report>("/audit/verify", {})).body);
  };
  const save = async (): Promise<void> => saveBlob(await fetchBlob("/audit/export"), "margay-audit.jsonl");
  return (
    <div class="stack">
      <div class="p-row">
        <Act acting={acting} work={verify} icon="shield">
          {acting.busy ? t("verifying") : t("verify")}
        </Act>
        <Act acting={acting} work={save} icon="download">
          {t("exportLog")}
        </Act>
      </div>
      <Outcome of={acting} />
      {report !== undefined && <Chain report={report} />}
      <div class="p-row p-bottom">
        <TextField label={c("tool")} value={tool} onValue={setTool} spellcheck={false} />
        <Select
          label={t("decision")}
          value={decision}
          onValue={setDecision}
          options={[
            { value: "", label: t("anyDecision") },
            { value: "allow", label: t("allow") },
            { value: "ask", label: t("ask") },
            { value: "deny", label: t("denyWord") },
          ]}
        />
        <Select
          label={t("kind")}
          value={kind}
          onValue={setKind}
          options={[
            { value: "", label: c("all") },
            ...["call", "turn", "event"].map((value) => ({ value, label: value })),
          ]}
        />
      </div>
      <More of={entries} empty={<Empty>{t("noAudit")}</Empty>}>
        {(items) => <Entries items={items} report={report} />}
      </More>
    </div>
  );
}

function Entries({ items, report }: { readonly items: readonly Entry[]; readonly report: Report | undefined }) {
  return (
    <Table
      caption={t("entry")}
      rows={items}
      rowKey={({ n }) => String(n)}
      detail={(entry) => <Detail entry={entry} />}
      columns={[
        {
          id: "n",
          title: t("entry"),
          align: "end",
          cell: ({ n }) => (
            <>
              {n}{" "}
              {report?.broken !== undefined && n > report.broken.n && (
                <span class="badge danger">{t("afterBreak")}</span>
              )}
            </>
          ),
        },
        { id: "at", title: c("when"), cell: ({ at }) => dateTime(at) },
        { id: "what", title: t("what"), cell: (entry) => <What entry={entry} /> },
        {
          id: "decision",
          title: t("decision"),
          cell: (entry) => (entry.kind === "call" ? t(DECISIONS[entry.decision]) : ""),
        },
        { id: "by", title: t("by"), cell: (entry) => (entry.kind === "call" ? entry.by : "") },
      ]}
    />
  );
}

function Chain({ report }: { readonly report: Report }) {
  const { broken } = report;
  return (
    <div class={broken === undefined ? "note-box" : "note-box danger"} role="status">
      {broken === undefined ? (
        <strong>
          {report.entries === 0
            ? t("intactNone")
            : t("intact", { n: report.entries, when: dateTime(report.anchoredAt ?? nowMs()) })}
        </strong>
      ) : (
        <div>
          <strong>{t("broken", { n: broken.n, reason: t(BREAKS[broken.reason]) })}</strong>
          <div>{broken.detail}</div>
          <div>{t("brokenAdvice")}</div>
        </div>
      )}
    </div>
  );
}

function What({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case "call":
      return (
        <>
          <code>{entry.tool}</code> <span class="p-faint">{entry.status}</span>
          <div class="p-clip">{entry.text}</div>
        </>
      );
    case "turn":
      return (
        <>
          <span class="p-faint">{entry.reason}</span>
          <div class="p-clip">{entry.text}</div>
        </>
      );
    case "event":
      return (
        <>
          <code>{entry.name}</code>
          <div class="p-clip">{entry.text}</div>
        </>
      );
  }
}

function Detail({ entry }: { readonly entry: Entry }) {
  return (
    <dl class="p-facts">
      {entry.kind === "call" && (
        <>
          <dt>{t("rule")}</dt>
          <dd>
            <code>{entry.rule}</code>
          </dd>
          {entry.label !== undefined && (
            <>
              <dt>{t("label")}</dt>
              <dd>
                {[entry.label.integrity, entry.label.confidentiality]
                  .flatMap((each) => (each === undefined ? [] : [t(LABELS[each])]))
                  .join(" · ")}
              </dd>
            </>
          )}
          <dt>{c("result")}</dt>
          <dd class="p-prose">{entry.result}</dd>
          <dt>{t("argsHash")}</dt>
          <dd class="p-mono">{entry.argsHash}</dd>
        </>
      )}
      {entry.kind === "event" && (
        <>
          <dt>{c("details")}</dt>
          <dd>
            <pre class="p-code">{JSON.stringify(entry.data, null, 2)}</pre>
          </dd>
        </>
      )}
      {entry.session !== undefined && (
        <>
          <dt>{c("chat")}</dt>
          <dd>
            <ChatLink session={entry.session}>{entry.key ?? entry.session}</ChatLink>
          </dd>
        </>
      )}
      <dt>{t("hash")}</dt>
      <dd class="p-mono">{entry.hash}</dd>
      <dt>{t("prev")}</dt>
      <dd class="p-mono">{entry.prev}</dd>
    </dl>
  );
}
