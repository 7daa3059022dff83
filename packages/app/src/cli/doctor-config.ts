/** Checks of what is configured: clock and zone, workspace, commands, channels, port. */
import { statSync } from "node:fs";
import { lockOwner, systemClock } from "@margay/core";
import type { Loaded } from "../config/load.ts";
import type { Examined, Finding } from "./finding.ts";

type ConfigCheck = (cli: Examined, loaded: Loaded) => Promise<readonly Finding[]> | readonly Finding[];

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

/** Whether commands are confined: tried, not read from a list of what is installed. */
export const checkExec: ConfigCheck = async ({ t, environment }, loaded) => {
  const { enabled, sandbox } = loaded.config.tools.exec;
  if (!enabled) return [{ id: "exec", level: "ok", text: t("doctor.execOff") }];
  const { sandboxFaultText, sandboxOf } = await import("../sandbox.ts");
  const status = await sandboxOf(loaded, environment.env).status();
  if (status.ok) return [{ id: "exec", level: "ok", text: t("sandbox.ok", { kind: status.kind }) }];
  return [
    {
      id: "exec",
      level: sandbox === "none" ? "warning" : "problem",
      text: sandboxFaultText(status, t),
      repair: status.command ?? "margay config set tools.exec.sandbox none",
    },
  ];
};

/** Programs that the operator lets run with all rights. */
export const checkServers: ConfigCheck = ({ t }, { config }) =>
  Object.entries(config.mcpServers).flatMap(([name, { command, sandbox, disabled }]): readonly Finding[] =>
    command === undefined || sandbox || disabled
      ? []
      : [
          {
            id: "mcp",
            level: "warning",
            text: t("doctor.mcpUnconfined", { name }),
            repair: `margay config set mcpServers.${name}.sandbox true`,
          },
        ],
  );

export const checkChannels: ConfigCheck = ({ t }, { config }) =>
  Object.entries(config.channelsById).flatMap(([name, { enabled, allowFrom }]): readonly Finding[] => {
    if (!enabled) return [];
    if (allowFrom.includes("*"))
      return [
        {
          id: "channels",
          level: "warning",
          text: t("doctor.allowAll", { name }),
          repair: `margay config set channels.${name}.allowFrom '["YOUR-ID"]'`,
        },
      ];
    if (allowFrom.length === 0)
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
