/** How calls went: by tool, day, chat or origin; the days as a chart with its table. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { StatsResult } from "../schema.ts";
import { t } from "../../../web/texts/panels-work.ts";
import { Chart } from "../../../web/ui/chart.tsx";
import { Select } from "../../../web/ui/field.tsx";
import { Table, type Column } from "../../../web/ui/table.tsx";
import { duration, number, percent } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs } from "../../../web/panel-kit/time.ts";

type Stats = z.infer<typeof StatsResult>;
type Row = Stats["items"][number];

const DAY = 86_400_000;
const RANGES = { day: DAY, week: 7 * DAY, month: 30 * DAY, all: undefined } as const;
type Range = keyof typeof RANGES;

export function Statistics() {
  const [group, setGroup] = useState("tool");
  const [range, setRange] = useState<Range>("week");
  const [now] = useState(() => Math.round(nowMs()));
  const span = RANGES[range];
  const query = new URLSearchParams({ group, ...(span !== undefined && { from: String(now - span) }) });
  const stats = useResource<Stats>(`/tools/stats?${query}`);
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <Select
          label={t("groupBy")}
          value={group}
          onValue={setGroup}
          options={[
            { value: "tool", label: t("byTool") },
            { value: "day", label: t("byDay") },
            { value: "session", label: t("bySession") },
            { value: "origin", label: t("byOrigin") },
          ]}
        />
        <Select
          label={t("range")}
          value={range}
          onValue={(value) => setRange(value === "day" || value === "month" || value === "all" ? value : "week")}
          options={[
            { value: "day", label: t("rangeDay") },
            { value: "week", label: t("rangeWeek") },
            { value: "month", label: t("rangeMonth") },
            { value: "all", label: t("rangeAll") },
          ]}
        />
      </div>
      <Loaded of={stats}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty>{t("noStats")}</Empty>
          ) : (
            <>
              {group === "day" && (
                <Chart
                  title={t("callsByDay")}
                  days={items.map(({ key }) => key)}
                  series={[
                    { name: t("ok"), values: items.map(({ ok }) => ok) },
                    { name: t("failed"), values: items.map(({ error }) => error) },
                    { name: t("deniedCount"), values: items.map(({ denied }) => denied) },
                  ]}
                  format={number}
                />
              )}
              <Table
                caption={t("stats")}
                rows={items}
                rowKey={({ key }) => key}
                columns={columns(group)}
                foot={<Foot total={total} />}
                start={{ column: "calls", down: true }}
              />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function columns(group: string): readonly Column<Row>[] {
  const time = (ms: number | null): string => (ms === null ? "" : duration(ms));
  return [
    {
      id: "key",
      title:
        group === "day"
          ? t("byDay")
          : group === "session"
            ? t("bySession")
            : group === "origin"
              ? t("byOrigin")
              : t("byTool"),
      cell: ({ key }) => <code>{key}</code>,
      sort: ({ key }) => key,
    },
    { id: "calls", title: t("calls"), align: "end", cell: ({ calls }) => number(calls), sort: ({ calls }) => calls },
    {
      id: "success",
      title: t("success"),
      align: "end",
      cell: ({ successRate }) => percent(successRate),
      sort: ({ successRate }) => successRate,
    },
    { id: "error", title: t("failed"), align: "end", cell: ({ error }) => number(error), sort: ({ error }) => error },
    {
      id: "denied",
      title: t("deniedCount"),
      align: "end",
      cell: ({ denied }) => number(denied),
      sort: ({ denied }) => denied,
    },
    {
      id: "interrupted",
      title: t("interrupted"),
      align: "end",
      cell: ({ interrupted }) => number(interrupted),
      sort: ({ interrupted }) => interrupted,
    },
    {
      id: "p50",
      title: t("median"),
      align: "end",
      cell: ({ p50Ms }) => time(p50Ms),
      sort: ({ p50Ms }) => p50Ms ?? undefined,
    },
    {
      id: "p95",
      title: t("p95"),
      align: "end",
      cell: ({ p95Ms }) => time(p95Ms),
      sort: ({ p95Ms }) => p95Ms ?? undefined,
    },
  ];
}

function Foot({ total }: { readonly total: Stats["total"] }) {
  return (
    <tr>
      <th scope="row">{t("sum")}</th>
      <td class="p-end">{number(total.calls)}</td>
      <td class="p-end">{percent(total.successRate)}</td>
      <td class="p-end">{number(total.error)}</td>
      <td class="p-end">{number(total.denied)}</td>
      <td class="p-end">{number(total.interrupted)}</td>
      <td class="p-end">{total.p50Ms === null ? "" : duration(total.p50Ms)}</td>
      <td class="p-end">{total.p95Ms === null ? "" : duration(total.p95Ms)}</td>
    </tr>
  );
}
