/** The rows of `margay approvals` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const APPROVAL_COMMANDS: readonly CommandSpec[] = [
  { name: "approvals", about: "about.approvals", examples: ["margay approvals list", "margay approvals allow call-1"] },
  {
    name: "approvals list",
    about: "about.approvals.list",
    load: async () => (await import("./command.ts")).listApprovals,
  },
  {
    name: "approvals allow",
    args: "<code>",
    about: "about.approvals.allow",
    options: [
      { flags: "--remember <how>", about: "opt.remember", choices: ["once", "session", "always"] },
      { flags: "--words <text>", about: "opt.words" },
    ],
    examples: ["margay approvals allow 3f2a9c01 --remember session"],
    load: async () => (await import("./command.ts")).allowApproval,
  },
  {
    name: "approvals deny",
    args: "<code>",
    about: "about.approvals.deny",
    load: async () => (await import("./command.ts")).denyApproval,
  },
  {
    name: "approvals rules",
    about: "about.approvals.rules",
    load: async () => (await import("./command-rules.ts")).listRules,
  },
  {
    name: "approvals forget",
    args: "<id>",
    about: "about.approvals.forget",
    examples: ["margay approvals forget 3f2a9c01"],
    load: async () => (await import("./command-rules.ts")).forgetRule,
  },
];
