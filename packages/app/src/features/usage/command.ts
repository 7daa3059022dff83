/** `margay usage`: tokens, cost and cache share, folded from the journals. */
import { type Usage } from "@margay/core";
import { addUsage, NO_USAGE, spendingOf, type SpentRequest } from "@margay/core/internal";
import { damagedJson, goneSpending, readArchive, reportDamaged, type Archived } from "../../host/cli/archive.ts";
import { textOption, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

export type Group = "day" | "model" | "session" | "source";

interface Spent {
  readonly name: string;
  readonly requests: number;
  readonly usage: Usage;
}

export const runUsage: Run = async (cli, input) => {
  const by = (textOption(input, "by") ?? "day") as Group; // commander checked the choice
  const { timeZone } = cli.loadShown();
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const nameOf = ({ at, model, source }: SpentRequest, key: string): string => {
    switch (by) {
      case "day":
        return day.format(at);
      case "model":
        return model === undefined ? "–" : `${model.provider}/${model.model}`;
      case "session":
        return key;
      case "source":
        return source;
    }
  };
  const { found, damaged } = await readArchive(cli, (session) => spentIn(session, nameOf));
  const groups = new Map<string, Spent>();
  const gone = (await goneSpending(cli)).flatMap(({ key, spent }) =>
    spent.map((one) => ({ name: nameOf(one, key), requests: one.requests ?? 1, usage: one.usage })),
  );
  for (const { name, requests, usage } of [...found.flat(), ...gone]) {
    const before = groups.get(name) ?? { name, requests: 0, usage: NO_USAGE };
    groups.set(name, { name, requests: before.requests + requests, usage: addUsage(before.usage, usage) });
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

/** One entry per request. */
async function spentIn(
  session: Archived,
  nameOf: (spent: SpentRequest, key: string) => string,
): Promise<readonly Spent[]> {
  const list: Spent[] = [];
  for await (const spent of spendingOf(session.commits()))
    list.push({ name: nameOf(spent, session.key), requests: 1, usage: spent.usage });
  return list;
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
