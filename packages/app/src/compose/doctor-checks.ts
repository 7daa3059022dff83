/** Every check of `margay doctor` by its name, in the order in which they are shown; the gateway's page has the same. */
import { checkAudit } from "../features/audit/doctor.ts";
import { checkBackup } from "../features/backup/doctor.ts";
import { checkMoved } from "../features/backup/move/fence.ts";
import {
  checkBudgets,
  checkChannels,
  checkClock,
  checkExec,
  checkLabels,
  checkPort,
  checkWorkspace,
} from "../features/system/doctor-config.ts";
import { checkDisk, checkHome, checkLock, checkModes, checkNode } from "../features/system/doctor-machine.ts";
import { checkDoor } from "../features/gateway/doctor.ts";
import { checkServers } from "../features/mcp/doctor.ts";
import { checkModel } from "../features/providers/doctor.ts";
import { checkSessions } from "../features/sessions/doctor.ts";
import { checkPlugins } from "../features/plugins/doctor.ts";
import { checkSkills } from "../features/skills/doctor.ts";
import { checkChannelSettings } from "../features/channels/doctor-settings.ts";
import { checkTargets } from "../features/channels/doctor-targets.ts";
import { checkSpeech, checkTranscription } from "../features/speech/doctor.ts";
import { checkSchedule } from "../host/schedule-held.ts";
import type { Checks } from "../host/finding.ts";

export const DOCTOR_CHECKS: Checks = {
  machine: {
    node: checkNode,
    home: checkHome,
    disk: checkDisk,
    modes: checkModes,
    lock: checkLock,
    moved: checkMoved,
    schedule: checkSchedule,
    sessions: checkSessions,
    audit: checkAudit,
  },
  configured: {
    clock: checkClock,
    workspace: checkWorkspace,
    exec: checkExec,
    labels: checkLabels,
    mcp: checkServers,
    skills: checkSkills,
    plugins: checkPlugins,
    channels: checkChannels,
    channelSettings: checkChannelSettings,
    targets: checkTargets,
    budgets: checkBudgets,
    port: checkPort,
    gateway: checkDoor,
    model: checkModel,
    transcription: checkTranscription,
    speech: checkSpeech,
    backup: checkBackup,
  },
};
