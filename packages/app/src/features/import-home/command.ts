/** `margay import PATH`: the home of nanobot, CountBot or OpenClaw, taken over. First the plan, then the work. */
import { resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { importHome, planHome, readHome, type Plan, type PlanItem, type Status } from "./service.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

const STATUSES: readonly Status[] = ["add", "merge", "same", "conflict", "skip"];

export const runImport: Run = async (cli, input) => {
  const path = resolve(cli.environment.currentDirectory, input.args[0] ?? "");
  if (path === resolve(cli.places.home)) throw new RuntimeError("usage.wrong", cli.t("import.self", { path }));
  const source = await readHome(cli, path);
  if (source === undefined) throw new RuntimeError("usage.wrong", cli.t("import.unknown", { path }));
  const isDry = input.options["dryRun"] === true;
  const shown = (plan: Plan): void => {
    if (!cli.json) show(cli, plan);
  };
  let plan: Plan;
  if (isDry) {
    plan = await planHome(cli, source);
    shown(plan);
  } else plan = await importHome(cli, source, shown);
  if (cli.json) cli.terminal.out(jsonLine(report(cli, plan, isDry)));
  else cli.terminal.out(`${cli.t(isDry ? "import.dry" : hasWork(plan) ? "import.done" : "import.nothing")}\n`);
  return EXIT.done;
};

function hasWork(plan: Plan): boolean {
  return plan.items.some(({ status }) => status === "add" || status === "merge");
}

function show(cli: Cli, plan: Plan): void {
  const { kind, root, items } = plan;
  cli.terminal.out(`${cli.t("import.head", { kind, path: safeText(root), home: cli.places.home })}\n`);
  cli.terminal.out(table(items.map((item) => row(cli, item))));
  for (const { from, notes = [] } of items)
    if (notes.length > 0)
      cli.terminal.out(`${safeText(from)}:\n${notes.map((note) => `    ${safeText(note)}\n`).join("")}`);
  const counts = Object.fromEntries(STATUSES.map((status) => [status, count(items, status)]));
  cli.terminal.out(`${cli.t("import.counts", counts)}\n`);
}

function row(cli: Cli, item: PlanItem): readonly string[] {
  const { area, from, to, status, value } = item;
  const shown = value === undefined ? "" : ` = ${JSON.stringify(value)}`;
  return [
    cli.t(`import.status.${status}`),
    cli.t(`import.area.${area}`),
    safeText(from),
    `${to === undefined ? "" : `→ ${safeText(to)}${safeText(shown)}`} ${reasonOf(cli, item)}`.trim(),
  ];
}

function reasonOf(cli: Cli, { reason }: PlanItem): string {
  return reason === undefined ? "" : `(${safeText(cli.t(reason.key, reason.values))})`;
}

function report(cli: Cli, { kind, root, items }: Plan, dryRun: boolean): object {
  return {
    kind,
    root,
    dryRun,
    items: items.map(({ reason, ...item }) => ({
      ...item,
      ...(reason !== undefined && { reason: cli.t(reason.key, reason.values) }),
    })),
    counts: Object.fromEntries(STATUSES.map((status) => [status, count(items, status)])),
  };
}

function count(items: readonly PlanItem[], status: Status): number {
  return items.filter((item) => item.status === status).length;
}
