/** Checks of what is configured: clock and zone, workspace, commands, channels, port. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { lockOwner, systemClock } from "@margay/core/internal";
import { FRESH_BUDGETS } from "../../config/fresh.ts";
import { isKnownChannel, ourKinds } from "../../config/channel-ids.ts";
import { pairedSenders } from "../../host/pairing.ts";
import { identitiesOf } from "../../host/people.ts";
import type { ConfigCheck, Finding } from "../../host/finding.ts";
import { gitProgram } from "../../host/git.ts";
import type { Loaded } from "../../config/load.ts";
import type { Translate } from "../../texts/translate.ts";

const GIT_MS = 5_000;
/** To git it is a failure when there is none. */
const NONE = { stdout: "" };
/** No clock is right that says it is earlier than this code. */
const RELEASED = Date.UTC(2026, 10, 1);

export const checkClock: ConfigCheck = ({ t }, { timeZone }) => {
  const now = systemClock().now();
  const time = new Date(now).toISOString();
  if (now >= RELEASED) return [{ id: "clock", level: "ok", text: t("doctor.clock", { time, zone: timeZone }) }];
  return [
    { id: "clock", level: "problem", text: t("doctor.clockWrong", { time }), repair: "sudo timedatectl set-ntp true" },
  ];
};

export const checkWorkspace: ConfigCheck = ({ t }, { workspace }) => {
  const exists = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true;
  return [
    {
      id: "workspace",
      level: "ok",
      text: t(exists ? "doctor.workspace" : "doctor.workspaceNone", { path: workspace }),
    },
  ];
};

/** A home from before there were bounds: a hint, for it may well be what the person wants. */
export const checkBudgets: ConfigCheck = ({ t }, { config }) => {
  if (config.budgets.length > 0) return [];
  const command = `margay config set budgets '${JSON.stringify(FRESH_BUDGETS)}'`;
  return [{ id: "budgets", level: "ok", text: t("doctor.noBudget", { command }) }];
};

/**
 * As root commands run as a user of the workspace's own, whom its files then belong to, and git refuses root what is another's:
 * a hint, with the command that says it is meant.
 */
async function gitRefuses(
  loaded: Loaded,
  env: Readonly<Record<string, string | undefined>>,
  t: Translate,
): Promise<readonly Finding[]> {
  const { workspace } = loaded;
  const git = existsSync(join(workspace, ".git")) ? gitProgram(loaded, env) : undefined;
  if (git === undefined) return [];
  const { execFile } = process.getBuiltinModule("node:child_process"); // at first use
  const args = ["config", "--global", "--get-all", "safe.directory"];
  const { stdout } = await promisify(execFile)(git, args, { cwd: "/", env, timeout: GIT_MS }).catch(() => NONE);
  const safe = stdout.split("\n");
  if (safe.includes("*") || safe.includes(workspace)) return [];
  const command = `git config --global --add safe.directory '${workspace}'`;
  return [{ id: "exec-git", level: "ok", text: t("sandbox.gitRefuses", { command }) }];
}

/** Whether commands are confined: tried, not read from a list of what is installed. */
export const checkExec: ConfigCheck = async ({ t, environment }, loaded) => {
  const { enabled, sandbox } = loaded.config.tools.exec;
  if (!enabled) return [{ id: "exec", level: "ok", text: t("doctor.execOff") }];
  const { sandboxFaultText, sandboxOf } = await import("../../host/sandbox.ts");
  const tested = sandboxOf(loaded, environment.env);
  const status = await tested.status();
  if (status.ok) {
    const { kind } = status;
    const account = await tested.account(loaded.workspace);
    const text = account === undefined ? t("sandbox.ok", { kind }) : t("sandbox.okAs", { kind, account });
    return [
      { id: "exec", level: "ok", text },
      ...(account === undefined ? [] : await gitRefuses(loaded, environment.env, t)),
      { id: "exec-network", level: "ok", text: t(sandbox === "srt" ? "sandbox.noNetwork" : "sandbox.network") },
    ];
  }
  return [
    {
      id: "exec",
      level: sandbox === "none" ? "warning" : "problem",
      text: sandboxFaultText(status, t),
      ...(status.command !== undefined && { repair: status.command }),
    },
  ];
};

/** Whether it is known which files a command read. Where no command can work, another check says so. */
export const checkLabels: ConfigCheck = async ({ t }, { config, workspace }) => {
  if (!config.tools.exec.enabled || !mayWrite(workspace)) return [];
  const { keepsAccessTimes } = await import("@margay/core/internal");
  if (keepsAccessTimes(workspace)) return [{ id: "labels", level: "ok", text: t("doctor.labels") }];
  return [{ id: "labels", level: "warning", text: t("doctor.labelsCoarse", { path: workspace }) }];
};

function mayWrite(directory: string): boolean {
  try {
    const { R_OK, W_OK, X_OK } = constants;
    accessSync(directory, R_OK | W_OK | X_OK);
    return true;
  } catch {
    return false; // it is closed, or not there yet
  }
}

export const checkChannels: ConfigCheck = ({ t, places }, { config }) => {
  const known = identitiesOf(config, pairedSenders(places).list());
  return Object.entries(config.channelsById).flatMap(([name, { enabled, allowFrom }]): readonly Finding[] => {
    if (!enabled) return [];
    if (!isKnownChannel(name, config.channelsById))
      return [
        {
          id: "channels",
          level: "problem",
          text: t("doctor.channelUnknown", { name, names: ourKinds().join(", ") }),
          repair: `margay config set channels.${name}.enabled false`,
        },
      ];
    if (allowFrom.includes("*"))
      return [
        {
          id: "channels",
          level: "warning",
          text: t("doctor.allowAll", { name }),
          repair: `margay config set channels.${name}.allowFrom '["YOUR-ID"]'`,
        },
      ];
    if (!known.some(({ channel }) => channel === name))
      return [
        {
          id: "channels",
          level: "warning",
          text: t("doctor.allowNone", { name }),
          repair: "margay channels pair CODE",
        },
      ];
    return [];
  });
};

/** Only when nothing of ours runs: then the port is ours. */
export const checkPort: ConfigCheck = async ({ t, places }, { config: { gateway } }) => {
  if (gateway.port === 0 || lockOwner(places.home) !== undefined) return [];
  const { host, port } = gateway;
  if (await canListen(host, port)) return [{ id: "port", level: "ok", text: t("doctor.port", { port }) }];
  return [
    {
      id: "port",
      level: "problem",
      text: t("doctor.portUsed", { host, port }),
      repair: "margay config set gateway.port 0",
    },
  ];
};

async function canListen(host: string, port: number): Promise<boolean> {
  const { createServer } = await import("node:net");
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
