/** Sums, each day as a bar, and a table by whatever one asks; the sums say what they count. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { UsageResult } from "../schema.ts";
import { sourceName, t } from "./texts.ts";
import { dayKey, daysOf } from "./days.ts";
import { SetPrice } from "./price.tsx";
import { may } from "../../../web/auth.ts";
import { saveBlob } from "../../../web/lib/save-blob.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Chart } from "../../../web/ui/chart.tsx";
import { Select } from "../../../web/ui/field.tsx";
import { Table, type Column } from "../../../web/ui/table.tsx";
import { browserZone, money, number, percent, short } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs } from "../../../web/panel-kit/time.ts";

type Usage = z.infer<typeof UsageResult>;
type Row = Usage["rows"][number];

const GROUPS = ["day", "model", "provider", "session", "source", "purpose", "hour"] as const;
const RANGES = ["today", "week", "month", "all"] as const;
type Group = (typeof GROUPS)[number];
type Range = (typeof RANGES)[number];

export function Spent() {
  const [range, setRange] = useState<Range>("month");
  const [group, setGroup] = useState<Group>("model");
  const [by, setBy] = useState<By>("source");
  const [from] = useState(() => starts());
  const start = from[range];
  const time = new URLSearchParams({ tz: browserZone(), ...(start !== undefined && { from: String(start) }) });
  const days = useResource<Usage>(`/usage?${time}&group=day&by=${by}`, "usage");
  const rows = useResource<Usage>(`/usage?${time}&group=${group}`, "usage");
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <Select
          label={t("range")}
          value={range}
          onValue={(value) => setRange(RANGES.find((one) => one === value) ?? "month")}
          options={RANGES.map((value) => ({ value, label: t(`range_${value}`) }))}
        />
        <Select
          label={t("chartBy")}
          value={by}
          onValue={(value) => setBy(BYS.find((one) => one === value) ?? "source")}
          options={BYS.map((value) => ({ value, label: t(`group_${value}`) }))}
        />
        <Select
          label={t("group")}
          value={group}
          onValue={(value) => setGroup(GROUPS.find((one) => one === value) ?? "model")}
          options={GROUPS.map((value) => ({ value, label: t(`group_${value}`) }))}
        />
      </div>
      <Loaded of={days}>
        {(data) =>
          data.total.requests === 0 ? (
            <Empty>{t("none")}</Empty>
          ) : (
            <>
              <Sums usage={data} />
              <Daily usage={data} from={start} by={by} />
              <p class="p-help">{t("words", { zone: data.timeZone })}</p>
              <Loaded of={rows}>{(table) => <UsageTable usage={table} group={group} />}</Loaded>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

const BYS = ["source", "model"] as const;
type By = (typeof BYS)[number];

/** Money by day, by where it went; tokens where no price is known. */
function Daily({ usage, from, by }: { readonly usage: Usage; readonly from: number | undefined; readonly by: By }) {
  const { days, series, unit } = daysOf(usage, {
    first: from === undefined ? undefined : dayKey(from),
    last: dayKey(nowMs()),
    nameOf: (key) => (by === "source" ? sourceName(key) : key),
    others: t("others"),
  });
  return (
    <Chart
      title={t(unit === "usd" ? "chartCost" : "chartTokens")}
      days={days}
      series={series}
      format={unit === "usd" ? money : short}
    />
  );
}

/** Local midnights, as they were when the page was opened. */
function starts(): Readonly<Record<Range, number | undefined>> {
  const midnight = new Date(nowMs());
  midnight.setHours(0, 0, 0, 0);
  const back = (days: number): number =>
    new Date(midnight.getFullYear(), midnight.getMonth(), midnight.getDate() - days).getTime();
  return { today: back(0), week: back(6), month: back(29), all: undefined };
}

/** Of money what is known: requests without a price are counted apart, where there are some. */
function Sums({ usage }: { readonly usage: Usage }) {
  const { total, rows } = usage;
  const today = rows.find(({ key }) => key === dayKey(nowMs()));
  const spent = (costUsd: number | null | undefined): string => (costUsd === null ? "–" : money(costUsd ?? 0));
  const sums: readonly (readonly [string, string, (string | undefined)?])[] = [
    [t("cost"), spent(total.costUsd), total.costUsd === null ? undefined : average(total.costUsd, rows)],
    [t("today"), spent(today === undefined ? 0 : today.costUsd)],
    [t("input"), short(total.input)],
    [t("output"), short(total.output)],
    [t("cacheShare"), percent(total.cacheHit)],
    [t("requests"), number(total.requests), total.unpriced > 0 ? t("unpriced", { n: total.unpriced }) : undefined],
  ];
  return (
    <div class="p-stats" data-sums>
      {sums.map(([name, value, note]) => (
        <div class="p-stat" key={name}>
          <strong>{value}</strong>
          <span>{name}</span>
          {note !== undefined && <span class="small">{note}</span>}
        </div>
      ))}
    </div>
  );
}

/** Of a day since the first on which anything was spent; of one day it says nothing. */
function average(usd: number, rows: readonly Row[]): string | undefined {
  const first = rows.map(({ key }) => key).toSorted()[0];
  const days = first === undefined ? 0 : Math.ceil((nowMs() - Date.parse(`${first}T00:00:00`)) / 86_400_000);
  return days > 1 ? t("aDay", { usd: money(usd / days) }) : undefined;
}

function UsageTable({ usage, group }: { readonly usage: Usage; readonly group: Group }) {
  const columns: readonly Column<Row>[] = [
    {
      id: "key",
      title: t(`group_${group}`),
      cell: (row) => <Key row={row} group={group} />,
      sort: ({ key }) => key,
    },
    {
      id: "cost",
      title: t("cost"),
      align: "end",
      cell: ({ costUsd }) => (costUsd === null ? t("noPrice") : money(costUsd)),
      sort: ({ costUsd }) => costUsd ?? undefined,
    },
    { id: "input", title: t("input"), align: "end", cell: ({ input }) => short(input), sort: ({ input }) => input },
    {
      id: "cached",
      title: t("cacheShare"),
      align: "end",
      cell: ({ cacheHit }) => percent(cacheHit),
      sort: ({ cacheHit }) => cacheHit,
    },
    {
      id: "output",
      title: t("output"),
      align: "end",
      cell: ({ output }) => short(output),
      sort: ({ output }) => output,
    },
    {
      id: "requests",
      title: t("requests"),
      align: "end",
      cell: ({ requests }) => number(requests),
      sort: ({ requests }) => requests,
    },
  ];
  const { total } = usage;
  return (
    <section class="stack">
      <Table
        caption={t("table", { group: t(`group_${group}`) })}
        captionShown
        rows={usage.rows}
        rowKey={({ key }) => key}
        columns={columns}
        start={group === "day" || group === "hour" ? { column: "key", down: true } : { column: "input", down: true }}
        foot={
          <tr>
            <th scope="row">{t("sum")}</th>
            <td class="p-end">{total.costUsd === null ? t("noPrice") : money(total.costUsd)}</td>
            <td class="p-end">{short(total.input)}</td>
            <td class="p-end">{percent(total.cacheHit)}</td>
            <td class="p-end">{short(total.output)}</td>
            <td class="p-end">{number(total.requests)}</td>
          </tr>
        }
      />
      <div>
        <Button
          size="small"
          icon="download"
          onClick={() => saveBlob(new Blob([csv(usage, group)], { type: "text/csv" }), `margay-usage-${group}.csv`)}
        >
          {t("csv")}
        </Button>
      </div>
    </section>
  );
}

/** A chat is a link; a model without a price can be given one. */
function Key({ row, group }: { readonly row: Row; readonly group: Group }) {
  const { key, session, unpriced } = row;
  if (session !== undefined) return <ChatLink session={session}>{key}</ChatLink>;
  if (group === "source") return <>{sourceName(key)}</>;
  return (
    <>
      {key}
      {group === "model" && unpriced > 0 && key.includes("/") && may("patchSettings") && <SetPrice model={key} />}
    </>
  );
}

/** RFC 4180; a leading apostrophe keeps spreadsheets from running a cell that looks like a formula. */
function csv(usage: Usage, group: Group): string {
  const cell = (value: string | number | null): string => {
    const text = value === null ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const head = [group, "requests", "input", "output", "cacheRead", "cacheWrite", "costUsd", "unpriced"];
  const rows = usage.rows.map((row) => [
    row.key,
    row.requests,
    row.input,
    row.output,
    row.cacheRead,
    row.cacheWrite,
    row.costUsd,
    row.unpriced,
  ]);
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}
