/** The checks of `margay doctor`, for the gateway's page too. */
export { checkChannels, checkClock, checkExec, checkPort, checkWorkspace } from "./cli/doctor-config.ts";
export { checkDisk, checkHome, checkLock, checkModes, checkNode } from "./cli/doctor-machine.ts";
export { checkSchedule } from "./cli/schedule-held.ts";
export { checkModel } from "./cli/doctor-model.ts";
export { checkSessions } from "./cli/doctor-sessions.ts";
export { checkSkills } from "./cli/doctor-skills.ts";
export { checkTranscription } from "./cli/doctor-transcription.ts";
export { noKey, type Examined, type Finding } from "./cli/finding.ts";
