/** Every check of `margay doctor` by its name, in the order in which they are shown; the gateway's page has the same. */
import { checkAudit } from "../audit/doctor.ts";
import {
  checkBudgets,
  checkChannels,
  checkClock,
  checkDoor,
  checkExec,
  checkLabels,
  checkPort,
  checkWorkspace,
} from "./doctor-config.ts";
import { checkDisk, checkHome, checkLock, checkModes, checkNode } from "./doctor-machine.ts";
import { checkServers } from "../mcp/doctor.ts";
import { checkModel } from "../providers/doctor.ts";
import { checkSessions } from "../sessions/doctor.ts";
import { checkSkills } from "../skills/doctor.ts";
import { checkTargets } from "../channels/doctor-targets.ts";
import { checkTranscription } from "../speech/doctor.ts";
import { checkSchedule } from "../../host/schedule-held.ts";
import type { Check, ConfigCheck } from "../../host/cli/finding.ts";

/** Of the machine and the state directory. */
export const MACHINE_CHECKS: Readonly<Record<string, Check>> = {
  node: checkNode,
  home: checkHome,
  disk: checkDisk,
  modes: checkModes,
  lock: checkLock,
  schedule: checkSchedule,
  sessions: checkSessions,
  audit: checkAudit,
};

/** Of what is configured. */
export const CONFIGURED_CHECKS: Readonly<Record<string, ConfigCheck>> = {
  clock: checkClock,
  workspace: checkWorkspace,
  exec: checkExec,
  labels: checkLabels,
  mcp: checkServers,
  skills: checkSkills,
  channels: checkChannels,
  targets: checkTargets,
  budgets: checkBudgets,
  port: checkPort,
  gateway: checkDoor,
  model: checkModel,
  transcription: checkTranscription,
};
