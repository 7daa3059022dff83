/** `margay sessions list|show|set|search|fork|delete`. */
import { RuntimeError } from "@margay/core";
import { isTemporary } from "@margay/core/internal";
import {
  damagedJson,
  findArchived,
  missingSession,
  readArchive,
  reportDamaged,
  stateOf,
} from "../../host/cli/archive.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { confirmed } from "../../host/cli/confirm.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { numberOption, timeText } from "../../host/cli/values.ts";
import { openMarks } from "../../host/sessions/marks.ts";
import { callerOf } from "../../host/control/call.ts";
import type { SESSION_OPERATIONS } from "./actions.ts";
import { rowsOf, type Row } from "./rows.ts";

const call = callerOf<typeof SESSION_OPERATIONS>();

const TITLE_CHARS = 60;
const MATCH_CHARS = 60;

export const listSessions: Run = async (cli, input) => {
  const limit = numberOption(cli, input, "limit") ?? Number.POSITIVE_INFINITY;
  const wanted = textOption(input, "folder");
  const marks = openMarks(cli.places.docs);
  const { found, damaged } = await readArchive(cli, async (session) => {
    const { createdAt, updatedAt, rows, turn } = await stateOf(session);
    const { folder, title: named, made } = marks.of(session.id);
    const title = named ?? made ?? (await titleOf(rowsOf(session.commits())));
    const { key, id } = session;
    return {
      ...{ key, id, createdAt, updatedAt, rows, working: turn !== undefined, title },
      ...(folder !== undefined && { folder }),
    };
  });
  const inside = found.filter(({ folder }) => wanted === undefined || folder === wanted);
  const shown = inside.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, limit);
  if (cli.json) cli.terminal.out(jsonLine([...shown, ...damaged.map(damagedJson)]));
  else if (shown.length + damaged.length === 0) cli.terminal.out(`${cli.t("sessions.none")}\n`);
  else
    cli.terminal.out(
      table([
        ...shown.map((one) => [
          safeText(one.key),
          timeText(one.updatedAt),
          cli.t("sessions.rows", { count: one.rows }),
          one.folder === undefined ? safeText(one.title) : `${safeText(one.folder)} / ${safeText(one.title)}`,
        ]),
        ...damaged.map((one) => [safeText(one.key), cli.t("sessions.damaged")]),
      ]),
    );
  return reportDamaged(cli, damaged);
};

export const showSession: Run = async (cli, input) => {
  const session = await findArchived(cli, input.args[0] ?? "");
  const rows = await collect(rowsOf(session.commits()));
  const shown = rows.slice(-(numberOption(cli, input, "limit") ?? rows.length));
  for (const row of rows.length === 0 ? [] : shown)
    cli.terminal.out(
      cli.json ? jsonLine(row) : `${timeText(row.at)} ${whoText(row, cli)}\n${indent(safeText(row.text))}\n`,
    );
  return EXIT.done;
};

export const searchSessions: Run = async (cli, input) => {
  const wanted = (input.args[0] ?? "").toLowerCase();
  const limit = numberOption(cli, input, "limit") ?? 50;
  let count = 0;
  const { damaged } = await readArchive(cli, async (session) => {
    if (isTemporary(session.key)) return; // it is in no search
    for await (const row of rowsOf(session.commits())) {
      const at = row.text.toLowerCase().indexOf(wanted);
      if (at < 0 || count >= limit) continue;
      count += 1;
      const around = row.text
        .slice(Math.max(0, at - MATCH_CHARS), at + wanted.length + MATCH_CHARS)
        .replaceAll(/\s+/g, " ");
      cli.terminal.out(
        cli.json
          ? jsonLine({ session: session.key, at: row.at, who: row.who, text: row.text })
          : `${safeText(session.key)} ${timeText(row.at)} ${whoText(row, cli)}: ${safeText(around)}\n`,
      );
    }
  });
  if (cli.json) for (const one of damaged) cli.terminal.out(jsonLine(damagedJson(one)));
  if (count === 0 && !cli.json) cli.terminal.err(`${cli.t("sessions.noMatch")}\n`);
  const code = reportDamaged(cli, damaged);
  return count === 0 ? EXIT.failed : code;
};

export const forkSession: Run = async (cli, input) => {
  const [from = "", key = ""] = input.args;
  const seq = numberOption(cli, input, "seq");
  const { rows } = await call(cli, "sessions.fork", { from, key, ...(seq !== undefined && { seq }) });
  if (cli.json) cli.terminal.out(jsonLine({ key, from, rows }));
  else cli.terminal.out(`${cli.t("sessions.forked", { key, from })}\n`);
  return EXIT.done;
};

export const setSession: Run = async (cli, input) => {
  const [key = ""] = input.args;
  const [title, folder] = [textOption(input, "title"), textOption(input, "folder")];
  if (title === undefined && folder === undefined) throw new RuntimeError("usage.wrong", cli.t("sessions.setNothing"));
  // What is noted about a conversation outlives it.
  if (isTemporary(key)) throw new RuntimeError("usage.wrong", cli.t("sessions.setTemporary"));
  const { id } = await findArchived(cli, key);
  const now = await call(cli, "sessions.set", {
    id,
    ...(title !== undefined && { title: title.trim() === "" ? null : title }),
    ...(folder !== undefined && { folder: folder.trim() === "" ? null : folder }),
  });
  if (cli.json) cli.terminal.out(jsonLine({ key, ...now }));
  else {
    const name = now.folder ?? "";
    const text = name === "" ? cli.t("sessions.unfiled", { key }) : cli.t("sessions.filed", { key, folder: name });
    cli.terminal.out(`${folder === undefined ? cli.t("sessions.titled", { key }) : safeText(text)}\n`);
  }
  return EXIT.done;
};

export const deleteSession: Run = async (cli, input) => {
  const [key = ""] = input.args;
  const { id } = await findArchived(cli, key);
  if (!(await confirmed(cli, input, cli.t("sessions.confirm", { key: safeText(key) })))) {
    cli.terminal.err(`${cli.t("sessions.kept")}\n`);
    return EXIT.failed;
  }
  if (!(await call(cli, "sessions.remove", { id, key }))) throw missingSession(cli, key, []);
  if (cli.json) cli.terminal.out(jsonLine({ key, removed: true }));
  else cli.terminal.out(`${cli.t("sessions.deleted", { key })}\n`);
  return EXIT.done;
};

function whoText(row: Row, cli: Cli): string {
  return row.who === "user" ? `${cli.t("sessions.you")} (${safeText(row.name)})` : `${row.who} (${safeText(row.name)})`;
}

async function titleOf(rows: AsyncIterable<Row>): Promise<string> {
  for await (const row of rows)
    if (row.who === "user" && row.text.trim() !== "")
      return (row.text.trim().split("\n")[0] ?? "").slice(0, TITLE_CHARS);
  return "";
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

async function collect(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}
