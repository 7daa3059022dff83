/** `margay memory show|edit|search|log`: reads the files in the workspace; a running process is not disturbed. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSessions } from "@margay/core";
import { messageOf, journalsOf, openRecall, systemClock } from "@margay/core/internal";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { numberOption } from "../../host/cli/values.ts";

const ENTRIES = 20;
const MATCHES = 20;

export const showMemory: Run = (cli) => {
  const text = read(fileOf(cli, "MEMORY.md"));
  if (cli.json) cli.terminal.out(jsonLine({ text }));
  else cli.terminal.out(text.trim() === "" ? `${cli.t("memory.none")}\n` : `${safeText(text.trimEnd())}\n`);
  return Promise.resolve(EXIT.done);
};

/** Safe while the agent runs: it checks that the file is what it read before it rewrites it. */
export const editMemory: Run = async (cli) => {
  const path = fileOf(cli, "MEMORY.md");
  const { VISUAL, EDITOR } = cli.environment.env;
  const [editor, ...args] =
    [VISUAL, EDITOR]
      .find((each) => each?.trim())
      ?.trim()
      .split(/\s+/) ?? [];
  if (editor === undefined) {
    cli.terminal.err(`${cli.t("memory.noEditor", { path })}\n`);
    return EXIT.failed;
  }
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "", { flag: "wx" });
  }
  const failure = await edit(editor, [...args, path]);
  if (failure === undefined) return EXIT.done;
  cli.terminal.err(`${cli.t("memory.editorFailed", { editor: safeText(editor), detail: safeText(failure), path })}\n`);
  return EXIT.failed;
};

export const searchMemory: Run = async (cli, input) => {
  const limit = numberOption(cli, input, "limit") ?? MATCHES;
  const { workspace } = cli.loadShown();
  const { home } = cli.places;
  const journals = journalsOf(home);
  await using sessions = openSessions({ journals, clock: systemClock(), observers: [] });
  using recall = openRecall({
    workspace,
    directory: join(home, "index"),
    sessions: async () => (await sessions.list()).filter(({ fault }) => fault === undefined),
    commits: journals.read,
    damaged: (reason) => cli.terminal.err(`${cli.t("memory.rebuilt", { reason })}\n`),
  });
  const found = await recall.search(input.args[0] ?? "", limit);
  for (const item of found)
    cli.terminal.out(
      cli.json
        ? jsonLine({ ...item })
        : `${safeText(item.source)}:${item.line}: ${safeText(item.text.replaceAll(/\s+/g, " ").trim())}\n`,
    );
  if (found.length === 0 && !cli.json) cli.terminal.err(`${cli.t("memory.noMatch")}\n`);
  return found.length === 0 ? EXIT.failed : EXIT.done;
};

export const showLog: Run = (cli, input) => {
  const limit = numberOption(cli, input, "limit") ?? ENTRIES;
  const entries = read(fileOf(cli, "HISTORY.md"))
    .split(/\n\s*\n/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const shown = entries.slice(-limit);
  if (cli.json) for (const text of shown) cli.terminal.out(jsonLine({ text }));
  else cli.terminal.out(shown.length === 0 ? `${cli.t("memory.noLog")}\n` : `${safeText(shown.join("\n\n"))}\n`);
  return Promise.resolve(EXIT.done);
};

function fileOf(cli: Cli, name: string): string {
  return join(cli.loadShown().workspace, "memory", name);
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** @returns why it failed. */
function edit(editor: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(editor, args, { stdio: "inherit" });
    child.on("error", (error) => resolve(messageOf(error)));
    child.on("exit", (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit ${code ?? "?"}`)));
  });
}
