/** `margay sessions export|import`: transcripts as JSON lines, for other programs and for people. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { RuntimeError, type Address } from "@margay/core";
import { parseTranscript, renderTranscripts } from "@margay/core/internal";
import { findArchived } from "../../host/cli/archive.ts";
import { EXIT, textOption, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";

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
  await using app = await cli.compose();
  const imported = parseTranscript(text, { timeZone: app.loaded.timeZone });
  const key = textOption(input, "key") ?? imported.key ?? `import:${basename(path).replace(/\.jsonl?$/, "")}`;
  const session = await app.agent.sessions.open(key, addressOf(key));
  if (session.state.rows > 0 || session.state.pending.length > 0)
    throw new RuntimeError("session.not-empty", cli.t("sessions.notEmpty", { key }));
  const { messages, rows, consolidated, transcript, warnings } = imported;
  await session.commit({ type: "history.imported", messages, rows, consolidated, transcript });
  if (cli.json) cli.terminal.out(jsonLine({ key, rows, consolidated, warnings }));
  else {
    for (const warning of warnings) cli.terminal.err(`${safeText(warning)}\n`);
    cli.terminal.out(`${cli.t("sessions.imported", { rows, key: safeText(key) })}\n`);
  }
  return EXIT.done;
};

/** The chat that a key of the usual form `channel:chat` names. */
function addressOf(key: string): Address {
  const colon = key.indexOf(":");
  return colon < 0 ? { channel: "cli", chat: key } : { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
