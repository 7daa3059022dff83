/** `margay backup check`, `backup list`, `backup prune` and `backup drill`. */
import { existsSync } from "node:fs";
import { RuntimeError } from "@margay/core";
import { lockDirectory, messageOf, systemClock } from "@margay/core/internal";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { timeText } from "../../host/cli/values.ts";
import { checkStore, type Report } from "./check.ts";
import { chosen, opened, SHORT_NAME } from "./command.ts";
import { drill } from "./drill.ts";
import { passphraseOf } from "./passphrase.ts";
import { keptBy, KEEP, pruneStore, type Keep } from "./prune.ts";
import { backupFolder, noteState } from "./state.ts";
import { snapshotsOf, type Taken } from "./store/snapshot.ts";
import { openStore } from "./store/store.ts";
import { targetOf } from "./targets/targets.ts";

export const runCheck: Run = async (cli, input) => {
  const named = await targetOf(cli, input);
  const { own } = named;
  const { home, docs } = cli.places;
  const note = async (error?: string): Promise<void> => {
    const checked = { at: systemClock().now(), ...(error !== undefined && { error }) };
    if (own && existsSync(home)) await noteState(docs, { checked });
  };
  try {
    const report = await checkStore(await opened(cli, input, named), cli.signal);
    const [first] = [...report.lost, ...report.flaws];
    await note(first?.path);
    show(cli, report);
    return first === undefined ? EXIT.done : EXIT.failed;
  } catch (error) {
    await note(messageOf(error));
    throw error;
  }
};

function show(cli: Cli, { flaws, lost, snapshots, packs }: Report): void {
  const { terminal, t } = cli;
  const isWhole = flaws.length === 0 && lost.length === 0;
  if (cli.json) {
    terminal.out(jsonLine({ ok: isWhole, snapshots, packs, flaws: [...flaws], lost: [...lost] }));
    return;
  }
  if (isWhole) {
    terminal.out(`${t("backup.whole", { snapshots, packs })}\n`);
    return;
  }
  for (const { what, path } of flaws)
    terminal.out(`${t(what === "missing" ? "backup.flaw.missing" : "backup.flaw.damaged", { path })}\n`);
  for (const { snapshot, path } of lost)
    terminal.out(`${t("backup.lost", { what: lostText(cli, path), name: snapshot.slice(0, SHORT_NAME) })}\n`);
  if (lost.length === 0) terminal.out(`${t("backup.nothingLost")}\n`);
  terminal.out(`${t("backup.mend")}\n`);
}

export const runList: Run = async (cli, input) => {
  const store = await opened(cli, input, await targetOf(cli, input));
  const taken = await snapshotsOf(store);
  if (cli.json) cli.terminal.out(jsonLine({ items: taken.map(rowOf) }));
  else cli.terminal.out(table(taken.map((one) => lineOf(cli, one))));
  return EXIT.done;
};

export const runPrune: Run = async (cli, input) => {
  const { target } = await targetOf(cli, input);
  const passphrase = await passphraseOf(cli, input);
  const isDry = input.options["dryRun"] === true;
  using _run = lockDirectory(backupFolder(cli.places.home));
  await using _lock = await target.lock();
  await target.removeUnfinished();
  const store = await openStore(target, passphrase);
  const all = await snapshotsOf(store);
  const kept = keptBy(all, keepOf(cli, input));
  const gone = all.filter((one) => !kept.has(one.name));
  const freed = isDry || gone.length === 0 ? 0 : await pruneStore(store, { all, kept, signal: cli.signal });
  if (freed > 0) await target.tidy?.();
  if (cli.json) cli.terminal.out(jsonLine({ dryRun: isDry, removed: gone.map(rowOf), kept: kept.size, freed }));
  else {
    cli.terminal.out(table(gone.map((one) => lineOf(cli, one))));
    const text = isDry ? "backup.wouldPrune" : "backup.pruned";
    cli.terminal.out(`${cli.t(text, { removed: gone.length, kept: kept.size, freed })}\n`);
  }
  return EXIT.done;
};

export const runDrill: Run = async (cli, input) => {
  const { home } = cli.places;
  const at = systemClock().now();
  const named = await targetOf(cli, input);
  const { own } = named;
  using _run = lockDirectory(backupFolder(home));
  try {
    const store = await opened(cli, input, named);
    const taken = await chosen(cli, store, textOption(input, "snapshot"));
    const { files, sessions } = await drill(cli, store, taken.snapshot);
    if (own) await noteState(cli.places.docs, { drill: { at }, drilled: at });
    const name = taken.name.slice(0, SHORT_NAME);
    if (cli.json) cli.terminal.out(jsonLine({ ok: true, name: taken.name, files, sessions }));
    else cli.terminal.out(`${cli.t("backup.drilled", { name, files, sessions })}\n`);
    return EXIT.done;
  } catch (error) {
    if (own) await noteState(cli.places.docs, { drill: { at, error: messageOf(error) } });
    throw error;
  }
};

/** @throws RuntimeError `usage.wrong`. */
function keepOf(cli: Cli, input: Input): Keep {
  const count = (name: string, usual: number): number => {
    const text = textOption(input, name);
    if (text === undefined) return usual;
    if (/^\d{1,4}$/.test(text)) return Number(text);
    throw new RuntimeError("usage.wrong", cli.t("backup.keepNumber"));
  };
  const keep = {
    last: count("keepLast", KEEP.last),
    daily: count("keepDaily", KEEP.daily),
    weekly: count("keepWeekly", KEEP.weekly),
    monthly: count("keepMonthly", KEEP.monthly),
  };
  if (Object.values(keep).every((one) => one === 0)) throw new RuntimeError("usage.wrong", cli.t("backup.keepNone"));
  return keep;
}

function rowOf({ name, snapshot: { at, host, files, bytes, added, move } }: Taken) {
  return { name, at, host, files, bytes, added, ...(move !== undefined && { move }) };
}

function lineOf(cli: Cli, { name, snapshot: { at, host, files, bytes } }: Taken): readonly string[] {
  return [name.slice(0, SHORT_NAME), timeText(at), safeText(host), cli.t("backup.size", { files, bytes })];
}

function lostText(cli: Cli, path: string): string {
  if (path === "*") return cli.t("backup.lostAll");
  const [, id] = /^home\/sessions\/([^/]+)\.journal$/.exec(path) ?? [];
  return id === undefined ? safeText(path) : cli.t("backup.lostConversation", { id: safeText(id) });
}
