/** `margay backup`, `backup check`, `backup list` and `margay restore`. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { isInside, lockDirectory, lockOwner, systemClock } from "@margay/core/internal";
import { atHolder } from "../../host/control/holder.ts";
import { openLink } from "../../host/control/terminal-client.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { readAll } from "../../host/cli/read-input.ts";
import { timeText } from "../../host/cli/values.ts";
import { checkStore } from "./check.ts";
import { cutOf, type Cut } from "./cut.ts";
import { makeSnapshot } from "./make.ts";
import { restoreSnapshot } from "./restore.ts";
import { snapshotsOf } from "./store/snapshot.ts";
import { openStore, type Store } from "./store/store.ts";
import { folderTarget, removeUnfinished } from "./store/target.ts";

const MIN_PASSPHRASE_CHARS = 12;
const SHORT_NAME = 12;

export const runBackup: Run = async (cli, input) => {
  const { home } = cli.places;
  const { workspace } = cli.loadShown();
  const folder = folderOf(cli, input);
  if (!existsSync(home)) throw new RuntimeError("usage.wrong", cli.t("backup.noHome", { home }));
  if ([home, workspace].some((one) => isInside(one, folder)))
    throw new RuntimeError("usage.wrong", cli.t("backup.inside", { folder: safeText(folder) }));
  const passphrase = await passphraseOf(cli, input);
  using _lock = lockDirectory(folder);
  removeUnfinished(folder);
  const store = await openStore(folderTarget(folder), passphrase, { create: true });
  const { cut, live } = await moment(cli);
  const { name, snapshot } = await makeSnapshot(store, {
    home,
    workspace,
    mode: modeOf(input),
    cut,
    live,
    now: systemClock().now(),
    signal: cli.signal,
    progress: progressOf(cli),
  });
  const { files, bytes, added } = snapshot;
  if (cli.json) cli.terminal.out(jsonLine({ type: "snapshot", name, at: snapshot.at, files, bytes, added }));
  else cli.terminal.out(`${cli.t("backup.done", { name: name.slice(0, SHORT_NAME), files, bytes, added })}\n`);
  return EXIT.done;
};

export const runCheck: Run = async (cli, input) => {
  const store = await opened(cli, input);
  const { flaws, lost, snapshots, packs } = await checkStore(store, cli.signal);
  const isWhole = flaws.length === 0 && lost.length === 0;
  if (cli.json) cli.terminal.out(jsonLine({ ok: isWhole, snapshots, packs, flaws: [...flaws], lost: [...lost] }));
  else if (isWhole) cli.terminal.out(`${cli.t("backup.whole", { snapshots, packs })}\n`);
  else {
    for (const { what, path } of flaws)
      cli.terminal.out(`${cli.t(what === "missing" ? "backup.flaw.missing" : "backup.flaw.damaged", { path })}\n`);
    for (const { snapshot, path } of lost)
      cli.terminal.out(`${cli.t("backup.lost", { what: lostText(cli, path), name: snapshot.slice(0, SHORT_NAME) })}\n`);
    if (lost.length === 0) cli.terminal.out(`${cli.t("backup.nothingLost")}\n`);
  }
  return isWhole ? EXIT.done : EXIT.failed;
};

export const runList: Run = async (cli, input) => {
  const store = await opened(cli, input);
  const taken = await snapshotsOf(store);
  const rows = taken.map(({ name, snapshot: { at, host, files, bytes, added } }) => ({
    name,
    at,
    host,
    files,
    bytes,
    added,
  }));
  if (cli.json) cli.terminal.out(jsonLine({ items: rows }));
  else
    cli.terminal.out(
      table(
        rows.map(({ name, at, host, files, bytes }) => [
          name.slice(0, SHORT_NAME),
          timeText(at),
          safeText(host),
          cli.t("backup.size", { files, bytes }),
        ]),
      ),
    );
  return EXIT.done;
};

export const runRestore: Run = async (cli, input) => {
  const to = textOption(input, "to");
  if (to === undefined) throw new RuntimeError("usage.wrong", cli.t("restore.noPlace"));
  const place = resolve(cli.environment.currentDirectory, to);
  const store = await opened(cli, input);
  const wanted = textOption(input, "snapshot");
  const taken = (await snapshotsOf(store)).find(({ name }) => wanted === undefined || name.startsWith(wanted));
  if (taken === undefined) throw new RuntimeError("backup.missing", cli.t("restore.noSnapshot"));
  const files = await restoreSnapshot(store, taken.snapshot, { to: place, signal: cli.signal });
  if (cli.json) cli.terminal.out(jsonLine({ home: place, name: taken.name, at: taken.snapshot.at, files }));
  else
    cli.terminal.out(`${cli.t("restore.done", { files, home: safeText(place), at: timeText(taken.snapshot.at) })}\n`);
  return EXIT.done;
};

async function opened(cli: Cli, input: Input): Promise<Store> {
  const passphrase = await passphraseOf(cli, input);
  return openStore(folderTarget(folderOf(cli, input)), passphrase);
}

function folderOf(cli: Cli, input: Input): string {
  const target = input.args[0] ?? "";
  if (/^[a-z0-9+]{2,}:/i.test(target)) throw new RuntimeError("usage.wrong", cli.t("backup.onlyFolders"));
  return resolve(cli.environment.currentDirectory, target);
}

function modeOf(input: Input): "none" | "list" | "files" {
  const mode = textOption(input, "workspace");
  return mode === "none" || mode === "list" ? mode : "files";
}

/** From whoever holds the home; else under its lock, which a crashed one keeps: the next start settles what it left. */
async function moment(cli: Cli): Promise<{ readonly cut: Cut; readonly live: boolean }> {
  const { home } = cli.places;
  const cut = await atHolder(cli, async (path, patience) => {
    using link = await openLink(path, patience);
    return (await link.ask("operation", { name: "backup.cut", input: {} })) as Cut; // of that operation
  });
  if (cut !== undefined) return { cut, live: true };
  if (existsSync(join(home, "lock"))) {
    const found = cutOf(home);
    return lockOwner(home) === undefined ? { cut: found, live: true } : moment(cli);
  }
  using _lock = lockDirectory(home);
  return { cut: cutOf(home), live: false };
}

/** Never an argument or a variable: those are read by others. */
async function passphraseOf(cli: Cli, input: Input): Promise<string> {
  const { terminal, t } = cli;
  const file = textOption(input, "passphraseFile");
  const given =
    file !== undefined
      ? readFileSync(resolve(cli.environment.currentDirectory, file), "utf8")
      : terminal.inputIsTerminal
        ? await hidden(cli, t("backup.askPassphrase"))
        : await readAll(terminal);
  const passphrase = given?.replace(/\r?\n$/, "") ?? "";
  if ([...passphrase].length >= MIN_PASSPHRASE_CHARS) return passphrase;
  throw new RuntimeError("usage.wrong", t("backup.shortPassphrase", { count: MIN_PASSPHRASE_CHARS }));
}

async function hidden(cli: Cli, question: string): Promise<string | undefined> {
  const { clackPrompts } = await import("../../host/cli/prompts.ts");
  return (await clackPrompts(cli.signal)).password(question, () => undefined);
}

function progressOf(cli: Cli): (files: number, bytes: number) => void {
  const every = 500;
  return (files, bytes) => {
    if (files % every !== 0) return;
    if (cli.json) cli.terminal.out(jsonLine({ type: "progress", files, bytes }));
    else if (cli.terminal.interactive) cli.terminal.err(`${cli.t("backup.progress", { files, bytes })}\r`);
  };
}

function lostText(cli: Cli, path: string): string {
  if (path === "*") return cli.t("backup.lostAll");
  const [, id] = /^home\/sessions\/([^/]+)\.journal$/.exec(path) ?? [];
  return id === undefined ? safeText(path) : cli.t("backup.lostConversation", { id: safeText(id) });
}
