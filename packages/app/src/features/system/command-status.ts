/** `margay status`: what runs, where, with which model and channels, and what today cost. Reads only. */
import { type Usage } from "@margay/core";
import { addUsage, lockOwner, NO_USAGE, spendingOf, systemClock } from "@margay/core/internal";
import { damagedJson, goneSpending, readArchive, reportDamaged, stateOf } from "../../host/cli/archive.ts";
import type { Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { heldText } from "../../host/schedule-held.ts";

export const runStatus: Run = async (cli) => {
  const { config, workspace, timeZone } = cli.loadShown();
  const { sandbox } = config.tools.exec;
  const { effectiveModel } = await import("../../models/choose-model.ts");
  const model = effectiveModel(config);
  const { home } = cli.places;
  const held = heldText(cli);
  const pid = lockOwner(home);
  const { storageFault } = await import("./doctor-storage.ts");
  const fault = await storageFault(cli);
  const channels = Object.entries(config.channelsById)
    .filter(([, channel]) => channel.enabled)
    .map(([id]) => id);
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const today = day.format(systemClock().now());
  const { found, damaged } = await readArchive(cli, async (session) => {
    const { turn } = await stateOf(session);
    let spent: Usage = NO_USAGE;
    for await (const { at, usage } of spendingOf(session.commits()))
      if (day.format(at) === today) spent = addUsage(spent, usage);
    return {
      asked: (turn?.calls.filter((call) => call.status === "asked").length ?? 0) + (turn?.questions?.length ?? 0),
      spent,
    };
  });
  const sessions = found.length + damaged.length;
  const approvals = found.reduce((sum, { asked }) => sum + asked, 0);
  const gone = (await goneSpending(cli)).flatMap((one) => one.spent).filter(({ at }) => day.format(at) === today);
  const spent = [...found.map((one) => one.spent), ...gone.map(({ usage }) => usage)].reduce(addUsage, NO_USAGE);
  if (cli.json) {
    cli.terminal.out(
      jsonLine({
        running: pid !== undefined,
        pid: pid ?? null,
        home,
        workspace,
        model,
        practice: model === null,
        profile: config.profile,
        channels,
        sandbox,
        scheduleHeld: held !== undefined,
        storageFault: fault ?? null,
        sessions,
        approvals,
        today: spent,
        damaged: damaged.map(damagedJson),
      }),
    );
    return reportDamaged(cli, damaged);
  }
  const { t } = cli;
  const lines = [
    pid === undefined ? t("status.notRunning") : t("status.running", { pid }),
    t("status.home", { home }),
    t("status.workspace", { path: workspace }),
    model === null ? t("status.practice") : t("status.model", { model }),
    t("status.profile", { profile: config.profile }),
    t("status.channels", { names: channels.join(", ") || t("status.none") }),
    // Whether it works is tried by `margay doctor`: this command only reads.
    t(sandbox === "none" ? "status.sandboxOff" : "status.sandbox", { sandbox }),
    ...(held === undefined ? [] : [held]),
    ...(fault === undefined ? [] : [t("storage.failed", { reason: fault })]),
    t("status.sessions", { count: sessions }),
    t("status.approvals", { count: approvals }),
    t("status.today", { input: spent.input, output: spent.output }),
  ];
  cli.terminal.out(`${safeText(lines.join("\n"))}\n`);
  return reportDamaged(cli, damaged);
};
