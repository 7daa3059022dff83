/** The checks of `margay doctor`, for the gateway's page too. */
export { CONFIGURED_CHECKS, MACHINE_CHECKS } from "./cli/doctor-table.ts";
export { storageFinding } from "./cli/doctor-storage.ts";
export { findingsOf, noKey, type Examined, type Finding } from "./cli/finding.ts";
