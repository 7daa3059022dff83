/** `margay sessions export|import`: transcripts as JSON lines, for other programs and for people. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { RuntimeError } from "@margay/core";
import { renderTranscripts } from "@margay/core/internal";
import { findArchived } from "../../host/cli/archive.ts";
import { EXIT, textOption, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { callerOf } from "../../host/control/call.ts";
import type { SESSION_OPERATIONS } from "./actions.ts";

const call = callerOf<typeof SESSION_OPERATIONS>();

export const exportSession: Run = async (cli, input) => {
  const session = await findArchived(cli, input.args[0] ?? "");
  if (textOption(input, "format") === "journal") {
    for await (const commit of session.commits()) cli.terminal.out(jsonLine(commit));
    return EXIT.done;
  }
  const { config } = cli.loadShown();
  const files = await renderTranscripts(session.commits(), { toolResultChars: config.sessions.toolResultChars });
  // The current transcript: what `/new` ended lies in files of its own beside it.
  const current = files.find((file) => file.time === undefined) ?? files.at(-1);
  cli.terminal.out(current?.text ?? "");
  return EXIT.done;
};

export const importSession: Run = async (cli, input) => {
  const path = input.args[0] ?? "";
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new RuntimeError("usage.wrong", cli.t("usage.noFile", { path }), { cause: error });
  }
  const given = textOption(input, "key");
  const fallback = `import:${basename(path).replace(/\.jsonl?$/, "")}`;
  const imported = await call(cli, "sessions.import", { text, fallback, ...(given !== undefined && { key: given }) });
  const { key } = imported;
  if (imported.state === "not-empty") throw new RuntimeError("session.not-empty", cli.t("sessions.notEmpty", { key }));
  const { rows, consolidated, warnings } = imported;
  if (cli.json) cli.terminal.out(jsonLine({ key, rows, consolidated, warnings }));
  else {
    for (const warning of warnings) cli.terminal.err(`${safeText(warning)}\n`);
    cli.terminal.out(`${cli.t("sessions.imported", { rows, key: safeText(key) })}\n`);
  }
  return EXIT.done;
};
