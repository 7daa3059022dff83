/** A configuration that changed while the program runs: what can follow it does from the next turn on. */
import type { Agent, AgentSettings, Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { agentSettings } from "../config/agent-settings.ts";
import type { Loaded } from "../config/load.ts";
import type { Schedule } from "../features/cron/service.ts";
import { practiceChoice } from "../features/practice/provider.ts";
import type { AppAudit } from "../host/audit-events.ts";
import { chooseModel, type ChosenModel, keysOf } from "../models/choose-model.ts";
import { commandIn } from "../texts/command.ts";
import { type Entrances, refuseUnknown } from "./channels.ts";
import { secretsOf } from "../models/secrets.ts";

/** Which model a configuration asks for, and the settings of the agent on it. */
export interface Chooser {
  /** @throws RuntimeError `provider.unknown`. */
  readonly choose: (loaded: Loaded) => ChosenModel;
  readonly settingsOf: (loaded: Loaded, choice: ChosenModel) => AgentSettings;
}

export function chooser({
  language,
  ...machine
}: Omit<Parameters<typeof chooseModel>[0], "config"> & Pick<AgentSettings, "language">): Chooser {
  return {
    choose: ({ config }) =>
      chooseModel({ ...machine, config }) ??
      practiceChoice({ language: config.language, command: commandIn(machine.env) }),
    settingsOf: ({ config, timeZone }, { contextWindow }) => ({
      ...agentSettings({ config, timeZone, contextWindow }),
      language,
    }),
  };
}

export interface Following {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Loaded;
  readonly models: Chooser;
  /** From here on `now` is the next one. */
  readonly take: (next: Loaded, choice: ChosenModel) => void;
  readonly platforms: Pick<Entrances["platforms"], "configure">;
  /** A secret that must not be seen. */
  readonly register: (secret: string) => void;
  readonly audit: Pick<AppAudit, "record">;
  readonly mcp: { configure(next: Loaded): void };
  readonly schedule: Pick<Schedule, "configure">;
  readonly agent: Pick<Agent, "configure" | "resume">;
  readonly log: Pick<Logger, "error">;
}

/** @returns throws before anything has changed. */
export function followConfiguration(parts: Following): (next: Loaded) => void {
  const { env, now, models, take, platforms, register, audit, mcp, schedule, agent, log } = parts;
  return (next) => {
    const choice = models.choose(next); // throws before anything has changed, as does the next one
    refuseUnknown(next.config.channelsById);
    const switchedOn = platforms.configure(next.config.channelsById);
    for (const secret of [...secretsOf(next, env), ...keysOf(choice.model.provider, next.config, env)])
      register(secret);
    const { sandbox } = next.config.tools.exec;
    if (sandbox !== now().config.tools.exec.sandbox)
      audit.record(sandbox === "none" ? "sandbox.off" : "sandbox.on", { by: "config" });
    take(next, choice);
    mcp.configure(next);
    schedule.configure(next);
    agent.configure({ settings: models.settingsOf(next, choice), provider: choice.provider, model: choice.model });
    if (switchedOn) agent.resume().catch((error: unknown) => log.error("resume.failed", { message: messageOf(error) })); // replies waited
  };
}
