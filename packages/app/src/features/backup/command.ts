/** `margay backup [TARGET]` and `margay restore`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { lockDirectory, messageOf, systemClock } from "@margay/core/internal";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { timeText } from "../../host/cli/values.ts";
import { makeSnapshot, type Made } from "./make.ts";
import { moment } from "./moment.ts";
import { passphraseOf } from "./passphrase.ts";
import { progressOf, refuseInside } from "./progress.ts";
import { needAnswering } from "./move/fence.ts";
import { restoreSnapshot, type Restored } from "./restore.ts";
import { backupFolder, noteState } from "./state.ts";
import { snapshotsOf, type Taken } from "./store/snapshot.ts";
import { openStore, type Store } from "./store/store.ts";
import type { BackupTarget } from "./store/target.ts";
import { targetOf, type Named } from "./targets/targets.ts";
import { repairStore } from "./whole.ts";

export const SHORT_NAME = 12;

export const runBackup: Run = async (cli, input) => {
  const { home } = cli.places;
  if (!existsSync(home)) throw new RuntimeError("usage.wrong", cli.t("backup.noHome", { home }));
  needAnswering(home, cli.t); // a later snapshot of the home that was left would hide those of the new one
  const { target, own } = await targetOf(cli, input);
  using _run = lockDirectory(backupFolder(home));
  const at = systemClock().now();
  try {
    const { name, snapshot } = await backUp(cli, input, target);
    const last = { at, target: target.name, name, bytes: snapshot.bytes };
    const isRepaired = input.options["repair"] === true;
    if (own) await noteState(cli.places.docs, { last, tried: { at }, ...(isRepaired && { checked: { at } }) });
    return EXIT.done;
  } catch (error) {
    if (own) await noteState(cli.places.docs, { tried: { at, error: messageOf(error) } });
    throw error;
  }
};

async function backUp(cli: Cli, input: Input, target: BackupTarget): Promise<Made> {
  const { home } = cli.places;
  const { workspace, config } = cli.loadShown();
  refuseInside(cli, target);
  const isNew = (await target.read("key")) === undefined && (await target.read("key.copy")) === undefined;
  const passphrase = await passphraseOf(cli, input, { isNew });
  await using _lock = await target.lock();
  await target.removeUnfinished();
  const store = await openStore(target, passphrase, { create: true });
  if (input.options["repair"] === true) await repairStore(store, cli.signal);
  const made = await makeSnapshot(store, {
    home,
    workspace,
    mode: modeOf(input) ?? config.backup.workspace,
    workspaceBytes: config.backup.maxMegabytes * 1024 * 1024,
    ...(await moment(cli)),
    now: systemClock().now(),
    signal: cli.signal,
    progress: progressOf(cli),
  });
  tell(cli, store, made);
  return made;
}

function tell(cli: Cli, store: Store, { name, snapshot, unkept }: Made): void {
  const { files, bytes, added } = snapshot;
  const flaws = store.flaws.length;
  if (cli.json)
    cli.terminal.out(jsonLine({ type: "snapshot", name, at: snapshot.at, files, bytes, added, unkept, flaws }));
  else cli.terminal.out(`${cli.t("backup.done", { name: name.slice(0, SHORT_NAME), files, bytes, added })}\n`);
  if (cli.json) return;
  if (unkept > 0) cli.terminal.err(`${cli.t("backup.unkept", { count: unkept })}\n`);
  if (flaws > 0) cli.terminal.err(`${cli.t("backup.flawed", { count: flaws, target: safeText(store.target.name) })}\n`);
}

export const runRestore: Run = async (cli, input) => {
  const to = textOption(input, "to");
  if (to === undefined) throw new RuntimeError("usage.wrong", cli.t("restore.noPlace"));
  const { currentDirectory } = cli.environment;
  const place = resolve(currentDirectory, to);
  const workspace = textOption(input, "workspace");
  const store = await opened(cli, input, await targetOf(cli, input));
  const taken = await chosen(cli, store, textOption(input, "snapshot"));
  const { files, moved } = await once(cli, input, { store, taken, place }, () =>
    restoreSnapshot(store, taken.snapshot, {
      to: place,
      ...(workspace !== undefined && { workspace: resolve(currentDirectory, workspace) }),
      userHome: cli.environment.userHome,
      signal: cli.signal,
    }),
  );
  const at = timeText(taken.snapshot.at);
  if (cli.json)
    cli.terminal.out(
      jsonLine({ home: place, name: taken.name, at: taken.snapshot.at, files, workspace: moved ?? null }),
    );
  else cli.terminal.out(`${cli.t("restore.done", { files, home: safeText(place), at })}\n`);
  if (moved !== undefined && !cli.json)
    cli.terminal.out(`${cli.t("restore.workspace", { workspace: safeText(moved) })}\n`);
  return EXIT.done;
};

/** A home that was moved here becomes one home; what could not be restored is free for the next one. */
async function once(
  cli: Cli,
  input: Input,
  { store, taken, place }: { readonly store: Store; readonly taken: Taken; readonly place: string },
  restore: () => Promise<Restored>,
): Promise<Restored> {
  const { move } = taken.snapshot;
  if (move === undefined) return restore();
  const { claim, ticketOf, writeTicket } = await import("./move/ticket.ts");
  await using _lock = await store.target.lock();
  const lost = input.options["lost"] === true;
  const before = lost ? {} : await ticketOf(store, move);
  await claim(store, taken, { home: place, at: systemClock().now(), lost, t: cli.t });
  try {
    return await restore();
  } catch (error) {
    await writeTicket(store, move, before ?? {});
    throw error;
  }
}

/** @throws RuntimeError `backup.missing`. */
export async function chosen(cli: Cli, store: Store, name: string | undefined): Promise<Taken> {
  const taken = (await snapshotsOf(store)).find((one) => name === undefined || one.name.startsWith(name));
  if (taken === undefined) throw new RuntimeError("backup.missing", cli.t("restore.noSnapshot"));
  return taken;
}

export async function opened(cli: Cli, input: Input, { target }: Pick<Named, "target">): Promise<Store> {
  return openStore(target, await passphraseOf(cli, input));
}

function modeOf(input: Input): "none" | "list" | "files" | undefined {
  const mode = textOption(input, "workspace");
  return mode === "none" || mode === "list" || mode === "files" ? mode : undefined;
}
