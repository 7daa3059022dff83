/** `margay quarantine`: what commands left behind that runs by itself, shown, taken back as it was shown, or removed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { type Quarantined, type Removed, type TakenBack } from "@margay/core/internal";
import { callerOf } from "../../host/control/call.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { confirmed } from "../../host/cli/confirm.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import type { ListedAside, QUARANTINE_OPERATIONS } from "./actions.ts";
import { timeText } from "../../host/cli/values.ts";

const call = callerOf<typeof QUARANTINE_OPERATIONS>();

export const listQuarantine: Run = async (cli) => {
  const items = await call(cli, "quarantine.list", {});
  const { t, terminal } = cli;
  if (cli.json) terminal.out(jsonLine(items));
  else if (items.length === 0) terminal.out(`${t("quarantine.none")}\n`);
  else {
    const rows = items.map((item) => [
      `  ${item.id}`,
      oneLine(item.path),
      oneLine(item.why),
      kindText(cli, item),
      timeText(item.at),
    ]);
    terminal.out(`${t("quarantine.head")}\n${table(rows)}${t("quarantine.next")}\n`);
  }
  return EXIT.done;
};

export const showQuarantined: Run = async (cli, { args: [id = ""] }) => {
  const item = await find(cli, id);
  if (item === undefined) return tell(cli, id, { status: "unknown" });
  if (cli.json) cli.terminal.out(jsonLine(item));
  else show(cli, item);
  return EXIT.done;
};

export const restoreQuarantined: Run = async (cli, input) => {
  const [id = ""] = input.args;
  const given = textOption(input, "sha256");
  const isYes = input.options["yes"] === true;
  if (isYes ? given === undefined : cli.json)
    throw new RuntimeError("usage.wrong", cli.t("quarantine.needHash", { id: safeText(id) }));
  const item = await find(cli, id);
  if (item === undefined) return tell(cli, id, { status: "unknown" });
  if (given !== undefined && given !== item.sha256) return tell(cli, id, { status: "changed" });
  if (!cli.json) show(cli, item);
  if (!(await confirmed(cli, input, cli.t("quarantine.confirm", { path: oneLine(item.path) })))) return kept(cli);
  return tell(cli, id, await call(cli, "quarantine.restore", { id, sha256: item.sha256 }));
};

export const deleteQuarantined: Run = async (cli, input) => {
  const [id = ""] = input.args;
  const item = await find(cli, id);
  if (item === undefined) return tell(cli, id, { status: "unknown" });
  if (!(await confirmed(cli, input, cli.t("quarantine.confirmDelete", { path: oneLine(item.path) })))) return kept(cli);
  return tell(cli, id, await call(cli, "quarantine.delete", { id }));
};

async function find(cli: Cli, id: string): Promise<Quarantined | undefined> {
  return (await call(cli, "quarantine.show", { id })).item;
}

function show(cli: Cli, item: Quarantined): void {
  const { t, terminal, places } = cli;
  const { id, path, why, at, sha256, text, cut } = item;
  const whole = join(places.home, "quarantine", id, "content");
  terminal.out(
    [
      `${oneLine(path)} (${kindText(cli, item)}, ${timeText(at)})`,
      t("quarantine.why", { why: oneLine(why) }),
      `sha256 ${sha256}`,
      // Set in: no line of it looks like one of ours.
      text === undefined ? `  ${t("quarantine.noText")}` : safeText(text).replace(/\n$/, "").replaceAll(/^/gm, "  "),
      ...(cut !== true ? [] : [existsSync(whole) ? t("quarantine.cutAt", { path: whole }) : t("quarantine.cut")]),
      "",
    ].join("\n"),
  );
}

function kindText(cli: Cli, { kind, bytes }: ListedAside): string {
  return cli.t(`quarantine.kind.${kind}`, { count: bytes });
}

/** Names that a stranger chose make no line of their own. */
function oneLine(text: string): string {
  return safeText(text).replaceAll("\n", "\\n");
}

const TEXTS = {
  "taken back": "quarantine.done",
  removed: "quarantine.deleted",
  occupied: "quarantine.occupied",
  changed: "quarantine.changed",
  unknown: "quarantine.unknown",
} as const;

/** @returns the exit code. */
function tell(cli: Cli, id: string, answer: TakenBack | Removed): number {
  const { status } = answer;
  const isDone = status === "taken back" || status === "removed";
  if (cli.json) cli.terminal.out(jsonLine({ id, ...answer }));
  else {
    const path = "path" in answer ? oneLine(answer.path) : "";
    const text = `${cli.t(TEXTS[status], { id: safeText(id), path })}\n`;
    if (isDone) cli.terminal.out(text);
    else cli.terminal.err(text);
  }
  return isDone ? EXIT.done : EXIT.failed;
}

function kept(cli: Cli): number {
  cli.terminal.err(`${cli.t("quarantine.kept")}\n`);
  return EXIT.failed;
}
