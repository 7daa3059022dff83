/** `margay undo [SESSION]`: also while another margay process works on the state directory. */
import type { UndoFile, UndoPreview, UndoTurn } from "./service.ts";
import { callerOf } from "../../host/control/call.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { confirmed } from "../../host/cli/confirm.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { timeText } from "../../host/cli/values.ts";
import type { UNDO_OPERATIONS } from "./actions.ts";

const call = callerOf<typeof UNDO_OPERATIONS>();

export const runUndo: Run = async (cli, input) => {
  const session = input.args[0];
  const turn = textOption(input, "turn");
  const force = input.options["force"] === true;
  if (input.options["list"] === true) {
    return showTurns(cli, await call(cli, "undo.list", { session }));
  }
  const preview = await call(cli, "undo.preview", { session, turn });
  if (typeof preview === "string") return refused(cli, preview);
  const chosen = preview.files.filter((file) => isChosen(file, force));
  if (input.options["dryRun"] === true || chosen.length === 0) {
    if (cli.json) cli.terminal.out(jsonLine(preview));
    else showPreview(cli, preview, force);
    return chosen.length === 0 && preview.files.length > 0 ? EXIT.failed : EXIT.done;
  }
  if (!cli.json) showPreview(cli, preview, force);
  if (!(await confirmed(cli, input, cli.t("undo.confirm", { count: chosen.length })))) {
    cli.terminal.err(`${cli.t("undo.kept")}\n`);
    return EXIT.failed;
  }
  // Exactly what was shown: by now there may be a newer turn.
  const done = await call(cli, "undo.apply", { session: preview.session, turn: preview.turn, force });
  if (typeof done === "string") return refused(cli, done);
  const { restored, id } = done;
  const failed = restored.filter((file) => file.failed !== undefined);
  if (cli.json) cli.terminal.out(jsonLine(done));
  else {
    for (const file of failed)
      cli.terminal.err(
        `${cli.t("undo.failed", { path: safeText(file.path), why: whyText(cli, file.failed ?? "") })}\n`,
      );
    const command = `margay undo ${safeText(preview.key)} --turn ${id}`;
    cli.terminal.out(`${cli.t("undo.done", { count: restored.length - failed.length, command })}\n`);
  }
  return failed.length === 0 ? EXIT.done : EXIT.failed;
};

function isChosen({ problem, forceable }: UndoFile, force: boolean): boolean {
  return problem === undefined || (force && forceable === true);
}

function showTurns(cli: Cli, turns: readonly UndoTurn[]): number {
  if (cli.json) cli.terminal.out(jsonLine(turns));
  else if (turns.length === 0) cli.terminal.out(`${cli.t("undo.none")}\n`);
  else
    cli.terminal.out(
      table(
        turns.map((one) => [
          safeText(one.key),
          one.number === undefined ? one.turn : String(one.number),
          timeText(one.at),
          cli.t("undo.changed", { count: one.changed }),
          one.undoes !== undefined ? cli.t("undo.isUndo") : one.undone !== undefined ? cli.t("undo.isUndone") : "",
          one.gaps.length > 0 ? cli.t("undo.incomplete") : "",
        ]),
      ),
    );
  return EXIT.done;
}

function showPreview(cli: Cli, preview: UndoPreview, force: boolean): void {
  const { t, terminal } = cli;
  const turn = preview.number === undefined ? preview.turn : String(preview.number);
  terminal.out(`${t("undo.head", { session: safeText(preview.key), turn, at: timeText(preview.at) })}\n`);
  if (preview.files.length === 0) terminal.out(`  ${t("undo.same")}\n`);
  for (const file of preview.files) {
    const what = t(`undo.do.${file.action}`);
    const note = isChosen(file, force)
      ? file.final === true
        ? ` (${t("undo.final")})`
        : ""
      : ` — ${t("undo.left", { why: whyText(cli, file.problem ?? "") })}`;
    const mark = file.starts === true ? ` [${t("undo.starts")}]` : "";
    terminal.out(`  ${what} ${safeText(file.path)}${file.kind === "directory" ? "/" : ""}${mark}${note}\n`);
  }
  if (preview.files.some((file) => file.forceable === true) && !force) terminal.out(`  ${t("undo.force")}\n`);
  if (preview.excluded.length > 0)
    terminal.out(`  ${t("undo.excluded", { names: preview.excluded.map(safeText).join(", ") })}\n`);
  for (const { gap, text } of preview.gaps) terminal.out(`  ${t(`undo.gap.${gap}`, { text: safeText(text) })}\n`);
}

const WHY = [
  "changed",
  "mixed",
  "large",
  "full",
  "linked",
  "unreadable",
  "excluded",
  "special",
  "missing",
  "not-empty",
] as const;

function whyText(cli: Cli, why: string): string {
  const known = WHY.find((one) => one === why);
  return known === undefined ? safeText(why) : cli.t(`undo.why.${known}`);
}

function refused(cli: Cli, status: "none" | "busy"): number {
  if (cli.json) cli.terminal.out(jsonLine({ status }));
  else cli.terminal.err(`${cli.t(status === "busy" ? "undo.busy" : "undo.none")}\n`);
  return EXIT.failed;
}
