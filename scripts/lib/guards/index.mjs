// The guards of the security design, each with the change that switches it off and the tests that must notice.
// A guard that no test misses is removed (SE11). `find` must stand in the file exactly once.
import { ACCESS_GUARDS } from "./access.mjs";
import { APPROVAL_GUARDS } from "./approvals.mjs";
import { CHANNEL_GUARDS } from "./channels.mjs";
import { DOOR_GUARDS } from "./doors.mjs";
import { FILE_GUARDS } from "./files.mjs";
import { GIT_GUARDS } from "./git.mjs";
import { HOUSEHOLD_GUARDS } from "./household.mjs";
import { LABEL_GUARDS } from "./labels.mjs";
import { LEFT_BEHIND_GUARDS } from "./left-behind.mjs";
import { NETWORK_GUARDS } from "./network.mjs";
import { GROUP_GUARDS } from "./groups.mjs";
import { PEOPLE_GUARDS } from "./people.mjs";
import { PERSON_GUARDS } from "./persons.mjs";
import { PRIVACY_GUARDS } from "./privacy.mjs";
import { POLICY_GUARDS } from "./policy.mjs";
import { PLUGIN_GUARDS } from "./plugins.mjs";
import { SANDBOX_GUARDS } from "./sandbox.mjs";
import { SECRET_GUARDS } from "./secrets.mjs";
import { SERVER_GUARDS } from "./servers.mjs";
import { STREAM_GUARDS } from "./streams.mjs";

export const GUARDS = [
  ...POLICY_GUARDS,
  ...DOOR_GUARDS,
  ...CHANNEL_GUARDS,
  ...APPROVAL_GUARDS,
  ...SANDBOX_GUARDS,
  ...FILE_GUARDS,
  ...LABEL_GUARDS,
  ...LEFT_BEHIND_GUARDS,
  ...NETWORK_GUARDS,
  ...GIT_GUARDS,
  ...SECRET_GUARDS,
  ...SERVER_GUARDS,
  ...PLUGIN_GUARDS,
  ...STREAM_GUARDS,
  ...ACCESS_GUARDS,
  ...PEOPLE_GUARDS,
  ...HOUSEHOLD_GUARDS,
  ...GROUP_GUARDS,
  ...PRIVACY_GUARDS,
  ...PERSON_GUARDS,
];
