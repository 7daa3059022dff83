/** The checks of `margay doctor`, for the gateway's page too. */
export { CONFIGURED_CHECKS, MACHINE_CHECKS } from "../features/system/doctor-table.ts";
export { storageFinding } from "../features/system/doctor-storage.ts";
export { findingsOf, noKey, type Examined, type Finding } from "../host/cli/finding.ts";
