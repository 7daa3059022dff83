/** `margay usage`: tokens, cost and cache share, folded from the journals. */
import { addUsage, NO_USAGE, type JournalRecord, type Millis, type ModelRef, type Usage } from "@margay/core";
import { damagedJson, readArchive, reportDamaged, type Archived } from "./archive.ts";
import { textOption, type Run } from "./command.ts";
import { jsonLine, safeText, table } from "./output.ts";

export type Group = "day" | "model" | "session" | "source";

interface Spent {
  readonly name: string;
  readonly requests: number;
  readonly usage: Usage;
}

export const runUsage: Run = async (cli, input) => {
  const by = (textOption(input, "by") ?? "day") as Group; // commander checked the choice
  const { timeZone } = cli.load();
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const nameOf = (record: JournalRecord, at: Millis, key: string, source: string): string => {
    switch (by) {
      case "day":
        return day.format(at);
      case "model":
        return modelOf(record);
      case "session":
        return key;
      case "source":
        return source;
    }
  };
  const { found, damaged } = await readArchive(cli, (session) => spentIn(session, nameOf));
  const groups = new Map<string, Spent>();
  for (const { name, usage } of found.flat()) {
    const before = groups.get(name) ?? { name, requests: 0, usage: NO_USAGE };
    groups.set(name, { name, requests: before.requests + 1, usage: addUsage(before.usage, usage) });
  }
  const rows = [...groups.values()].toSorted((a, b) =>
    by === "day" ? (a.name < b.name ? 1 : -1) : b.usage.input - a.usage.input,
  );
  const total: Spent = {
    name: cli.t("usage.total"),
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    usage: rows.reduce((sum, row) => addUsage(sum, row.usage), NO_USAGE),
  };
  if (cli.json)
    cli.terminal.out(
      jsonLine({
        by,
        groups: rows.map((row) => ({ name: row.name, requests: row.requests, ...row.usage })),
        total: { requests: total.requests, ...total.usage },
        damaged: damaged.map(damagedJson),
      }),
    );
  else if (rows.length === 0) cli.terminal.out(`${cli.t("usage.none")}\n`);
  else {
    const head = [
      cli.t(`usage.group.${by}`),
      cli.t("usage.requests"),
      cli.t("usage.input"),
      cli.t("usage.cache"),
      cli.t("usage.output"),
      cli.t("usage.cost"),
    ];
    cli.terminal.out(table([head, ...[...rows, total].map(cells)]));
  }
  return reportDamaged(cli, damaged);
};

/** One entry per request that was paid for. */
async function spentIn(
  session: Archived,
  nameOf: (record: JournalRecord, at: Millis, key: string, source: string) => string,
): Promise<readonly { readonly name: string; readonly usage: Usage }[]> {
  const spent: { readonly name: string; readonly usage: Usage }[] = [];
  let source = "";
  for await (const { at, records } of session.commits())
    for (const record of records) {
      if (record.type === "session.opened") source = record.parent === undefined ? record.origin.channel : "subagent";
      const usage = usageOf(record);
      if (usage !== undefined) spent.push({ name: nameOf(record, at, session.key, source), usage });
    }
  return spent;
}

function usageOf(record: JournalRecord): Usage | undefined {
  if (record.type === "model.responded") return record.message.usage;
  // The new epoch after a consolidation that was counted when it answered: no request of its own.
  if (
    record.type === "history.compacted" &&
    record.usage !== undefined &&
    record.usage.input + record.usage.output === 0
  )
    return undefined;
  const counted =
    record.type === "model.failed" ||
    record.type === "history.compacted" ||
    record.type === "memory.answered" ||
    record.type === "usage.counted";
  return counted ? record.usage : undefined;
}

function modelOf(record: JournalRecord): string {
  if (record.type === "model.responded") return modelName(record.message.model);
  return record.type === "usage.counted" ? modelName(record.model) : "–";
}

function modelName({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

function cells({ name, requests, usage }: Spent): readonly string[] {
  const share = usage.input === 0 ? "–" : `${Math.round((100 * usage.cacheRead) / usage.input)} %`;
  return [
    safeText(name),
    String(requests),
    String(usage.input),
    share,
    String(usage.output),
    usage.costUsd === undefined ? "–" : usage.costUsd.toFixed(4),
  ];
}
