/** `margay move HOME`, `margay move --export TARGET` and `margay move --take-back`. */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RuntimeError } from "@margay/core";
import { lockDirectory, systemClock } from "@margay/core/internal";
import { auditOf } from "../../../host/audit-log.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../../host/cli/command.ts";
import { jsonLine, safeText } from "../../../host/cli/output.ts";
import { passphraseOf } from "../passphrase.ts";
import { progressOf, refuseInside } from "../progress.ts";
import { openStore, type Store } from "../store/store.ts";
import { targetOf } from "../targets/targets.ts";
import { movedOf, type Moved } from "./fence.ts";
import { moveTo, moveToTarget, type Moving } from "./move.ts";
import { takeBackFromHome, takeBackFromTarget } from "./take-back.ts";
import { ticketOf, writeTicket } from "./ticket.ts";

export const runMove: Run = async (cli, input) => {
  const { home } = cli.places;
  const [to] = input.args;
  const target = textOption(input, "export");
  const isBack = input.options["takeBack"] === true;
  if ([to, target, isBack || undefined].filter((one) => one !== undefined).length !== 1)
    throw new RuntimeError("usage.wrong", cli.t("move.which"));
  if (!existsSync(home)) throw new RuntimeError("usage.wrong", cli.t("backup.noHome", { home }));
  const lock = lockDirectory(home);
  try {
    if (isBack) await takeBack(cli, input);
    else {
      const moving = movingOf(cli, lock.unclean);
      await (target === undefined ? toHome(cli, moving, to ?? "") : toTarget(cli, moving, input, target));
    }
    return EXIT.done;
  } finally {
    lock[Symbol.dispose]();
    // Somebody had died here: whoever starts next settles what that one left, and hears of it by this file.
    if (lock.unclean && !existsSync(join(home, "lock"))) writeFileSync(join(home, "lock"), "", { mode: 0o600 });
  }
};

function movingOf(cli: Cli, live: boolean): Moving {
  const { workspace } = cli.loadShown();
  const { places, environment, signal, t } = cli;
  const now = systemClock().now();
  const { userHome } = environment;
  return { home: places.home, workspace, userHome, live, now, signal, progress: progressOf(cli), t };
}

async function toHome(cli: Cli, moving: Moving, named: string): Promise<void> {
  const to = resolve(cli.environment.currentDirectory, named);
  const files = await moveTo(to, moving);
  await record(cli, "home.moved", to);
  told(cli, "move.done", { from: moving.home, to, files });
}

async function toTarget(cli: Cli, moving: Moving, input: Input, named: string): Promise<void> {
  const store = await storeAt(cli, input, named, { create: true });
  await using _lock = await store.target.lock();
  await store.target.removeUnfinished();
  const made = await moveToTarget(store, moving, async ({ id }) => {
    if ((await ticketOf(store, id)) === undefined) await writeTicket(store, id, {});
  });
  await record(cli, "home.moved", store.target.name);
  told(cli, "move.exported", { from: moving.home, to: store.target.name, files: made?.snapshot.files ?? 0 });
}

async function takeBack(cli: Cli, input: Input): Promise<void> {
  const { t } = cli;
  const { home } = cli.places;
  const moved = movedOf(home);
  if (moved === undefined) throw new RuntimeError("usage.wrong", t("move.notMoved", { home }));
  const lost = input.options["lost"] === true;
  const back = { home, moved, lost, now: systemClock().now(), t };
  if (moved.kind === "home") takeBackFromHome(back);
  else if (lost) await takeBackFromTarget(undefined, back);
  else await backFrom(cli, input, moved, back);
  await record(cli, "home.taken-back", moved.to);
  told(cli, "move.back", { from: moved.to, to: home, files: 0 });
}

async function backFrom(
  cli: Cli,
  input: Input,
  moved: Moved,
  back: Parameters<typeof takeBackFromTarget>[1],
): Promise<void> {
  const store = await storeAt(cli, input, moved.to, { create: false });
  await using _lock = await store.target.lock();
  await takeBackFromTarget(store, back);
}

async function storeAt(
  cli: Cli,
  input: Input,
  named: string,
  { create }: { readonly create: boolean },
): Promise<Store> {
  const { target } = await targetOf(cli, { ...input, args: [named] });
  refuseInside(cli, target);
  const isNew = create && (await target.read("key")) === undefined && (await target.read("key.copy")) === undefined;
  return openStore(target, await passphraseOf(cli, input, { isNew }), { create });
}

/** The last entry of the home that was left, and the first one of a home that was taken back. */
async function record(cli: Cli, event: "home.moved" | "home.taken-back", place: string): Promise<void> {
  await using audit = auditOf(cli.places);
  audit.record(event, { place });
  await audit.flush();
}

function told(
  cli: Cli,
  text: "move.done" | "move.exported" | "move.back",
  { from, to, files }: { readonly from: string; readonly to: string; readonly files: number },
): void {
  if (cli.json) cli.terminal.out(jsonLine({ type: text.replace(".", "-"), from, to, files }));
  else cli.terminal.out(`${cli.t(text, { from: safeText(from), to: safeText(to), files })}\n`);
}
