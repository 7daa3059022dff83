/** `margay plugin list|add|show|approve|remove`. */
import { confirmed } from "../../host/cli/confirm.ts";
import { EXIT, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

import type { InsideReview } from "./inside.ts";
import type { PluginReview } from "./review.ts";

const STANDING = {
  approved: undefined,
  unapproved: "plugin.unapproved",
  changed: "plugin.suspendedChanged",
  faults: "plugin.suspendedFaults",
} as const;
const WHERE = { absent: "plugin.absent", installed: "plugin.installed", beside: "plugin.beside" } as const;

export const listPlugins: Run = async (cli) => {
  const { listPlugins: list } = await import("./service.ts");
  const plugins = list(cli.places.home);
  if (cli.json) cli.terminal.out(jsonLine({ plugins }));
  else
    cli.terminal.out(
      table(
        plugins.map((plugin) => [
          safeText(plugin.package.replace(/^@margay\//, "")),
          safeText(plugin.name ?? ""),
          safeText(plugin.version ?? "–"),
          [WHERE[plugin.from ?? "absent"], STANDING[plugin.standing ?? "approved"]]
            .flatMap((key) => (key === undefined ? [] : cli.t(key)))
            .join(", "),
        ]),
      ),
    );
  return EXIT.done;
};

export const addPlugin: Run = async (cli, input) => {
  const { addPlugin: add } = await import("./service.ts");
  const { environment, places, signal, terminal } = cli;
  const added = await add(input.args[0] ?? "", {
    home: places.home,
    env: environment.env,
    currentDirectory: environment.currentDirectory,
    trusted: input.options["trusted"] === true,
    agrees: (found) => agrees(cli, input, found),
    signal,
    onCommand: (command) => terminal.err(`${cli.t("plugin.runs", { command: safeText(command) })}\n`),
  });
  if (added === undefined) return notUsed(cli);
  const { package: name, version, id, is } = added;
  const key = {
    provider: "plugin.added",
    channel: "plugin.addedChannel",
    tool: "plugin.approved",
    hook: "plugin.approved",
  } as const;
  terminal.out(
    cli.json ? jsonLine(added) : `${cli.t(key[is], { name: safeText(name), version: safeText(version), id })}\n`,
  );
  return EXIT.done;
};

/** It is shown. A tool or a hook is not used without a word of its own; anything else is asked about where somebody can be. */
async function agrees(cli: Cli, input: Input, found: PluginReview | InsideReview): Promise<boolean> {
  await show(cli, found);
  if ("manifest" in found) return await confirmed(cli, input, cli.t("plugin.confirm"));
  const question = cli.t("plugin.isProvider", { name: safeText(found.package) });
  return !cli.terminal.interactive || confirmed(cli, input, question);
}

async function show(cli: Cli, review: PluginReview | InsideReview): Promise<void> {
  const { reviewText } = await import("./show.ts");
  cli.terminal.err(reviewText(cli, review));
}

function notUsed(cli: Cli): number {
  cli.terminal.err(`${cli.t("plugin.kept")}\n`);
  return EXIT.failed;
}

async function reviewed(cli: Cli, typed: string) {
  const { installedPlugin } = await import("./service.ts");
  const { systemClock } = await import("@margay/core/internal");
  const { home } = cli.places;
  const place = installedPlugin(typed, home);
  if (place.plugin === undefined) {
    const inside = await import("./inside.ts");
    const now = inside.reviewInside(place);
    const approve = (): Promise<void> => inside.approveInside(place, now, systemClock().now());
    return { now, name: now.package, suspended: undefined, standing: inside.standingInside(place), approve };
  }
  const review = await import("./review.ts");
  const approved = review.approvedOf(home, place.package);
  const now = await review.reviewPlugin(place, approved?.trusted === true, systemClock());
  return {
    now,
    name: now.manifest.name,
    suspended: approved?.suspended,
    standing: review.standingOf(home, place),
    approve: async () => void (await review.approveReviewed(home, now, systemClock().now())),
  };
}

export const showPlugin: Run = async (cli, input) => {
  const { now, suspended, standing } = await reviewed(cli, input.args[0] ?? "");
  if (cli.json) {
    cli.terminal.out(jsonLine({ ...now, standing, ...(suspended !== undefined && { suspended }) }));
    return EXIT.done;
  }
  const { reviewText } = await import("./show.ts");
  const key = STANDING[standing];
  const last =
    suspended?.fault === undefined ? "" : `${cli.t("plugin.reviewFault", { fault: safeText(suspended.fault) })}\n`;
  cli.terminal.out(`${reviewText(cli, now)}${key === undefined ? "" : `${cli.t(key)}\n`}${last}`);
  return EXIT.done;
};

export const approvePlugin: Run = async (cli, input) => {
  const { now, name, approve } = await reviewed(cli, input.args[0] ?? "");
  await show(cli, now);
  if (!(await confirmed(cli, input, cli.t("plugin.confirm")))) return notUsed(cli);
  await approve();
  cli.terminal.out(
    cli.json
      ? jsonLine({ approved: name, hash: now.hash })
      : `${cli.t("plugin.approved", { name: safeText(now.package), version: safeText(now.version) })}\n`,
  );
  return EXIT.done;
};

export const removePlugin: Run = async (cli, input) => {
  const { removePlugin: remove } = await import("./service.ts");
  const { environment, places, signal, terminal } = cli;
  const name = await remove(input.args[0] ?? "", {
    home: places.home,
    env: environment.env,
    signal,
    onCommand: (command) => terminal.err(`${cli.t("plugin.runs", { command: safeText(command) })}\n`),
  });
  terminal.out(cli.json ? jsonLine({ removed: name }) : `${cli.t("plugin.removed", { name: safeText(name) })}\n`);
  return EXIT.done;
};
