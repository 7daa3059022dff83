/** The tools the agent has, with what they may do and what they cost in every prompt. */
import type { z } from "zod";
import type { ToolList } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-work.ts";
import { Table } from "../../../web/ui/table.tsx";
import { duration, number, short } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Tools = z.infer<typeof ToolList>;

const EFFECTS = { read: "effect_read", idempotent: "effect_idempotent", write: "effect_write" } as const;
const TONES = { allow: "ok", ask: "warn", deny: "danger" } as const;

export function ToolListView() {
  const tools = useResource<Tools>("/tools", "mcp");
  return (
    <Loaded of={tools}>
      {({ items }) => (
        <div class="stack">
          <p class="muted">{t("sumTokens", { n: items.reduce((sum, { tokens }) => sum + tokens, 0) })}</p>
          <Table
            caption={t("list")}
            rows={items}
            rowKey={({ name }) => name}
            detail={(tool) => (
              <div class="stack">
                <p class="p-prose">{tool.description}</p>
                <details>
                  <summary>{t("schema")}</summary>
                  <pre class="p-code">{JSON.stringify(tool.schema, null, 2)}</pre>
                </details>
              </div>
            )}
            columns={[
              { id: "name", title: c("name"), cell: ({ name }) => <code>{name}</code>, sort: ({ name }) => name },
              {
                id: "verdict",
                title: t("verdict"),
                cell: ({ verdict }) => <span class={`badge ${TONES[verdict]}`}>{t(verdict)}</span>,
                sort: ({ verdict }) => verdict,
              },
              {
                id: "effect",
                title: t("effect"),
                cell: ({ effect }) => t(EFFECTS[effect]),
                sort: ({ effect }) => effect,
              },
              {
                id: "origin",
                title: t("origin"),
                cell: ({ origin }) => (origin === "builtin" ? t("originBuiltin") : origin),
                sort: ({ origin }) => origin,
              },
              {
                id: "tokens",
                title: t("promptTokens"),
                align: "end",
                cell: ({ tokens }) => short(tokens),
                sort: ({ tokens }) => tokens,
              },
              {
                id: "uses",
                title: t("uses"),
                align: "end",
                cell: ({ calls7d }) => number(calls7d),
                sort: ({ calls7d }) => calls7d,
              },
              {
                id: "median",
                title: t("median"),
                align: "end",
                cell: ({ p50Ms }) => (p50Ms === null ? "" : duration(p50Ms)),
                sort: ({ p50Ms }) => p50Ms ?? undefined,
              },
            ]}
          />
        </div>
      )}
    </Loaded>
  );
}
