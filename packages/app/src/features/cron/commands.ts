/** The rows of `margay cron` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const CRON_COMMANDS: readonly CommandSpec[] = [
  {
    name: "cron",
    about: "about.cron",
    examples: [
      'margay cron add --cron "0 9 * * MON-FRI" --message "summarize my inbox" --to cli:direct',
      "margay cron list",
    ],
  },
  { name: "cron list", about: "about.cron.list", load: async () => (await import("./command.ts")).listJobs },
  {
    name: "cron add",
    about: "about.cron.add",
    options: [
      { flags: "--every <interval>", about: "opt.cron.every" },
      { flags: "--cron <expression>", about: "opt.cron.cron" },
      { flags: "--at <time>", about: "opt.cron.at" },
      { flags: "--tz <zone>", about: "opt.cron.tz" },
      { flags: "--message <text>", about: "opt.cron.message" },
      { flags: "--to <chat>", about: "opt.cron.to" },
      { flags: "--deliver", about: "opt.cron.deliver" },
      { flags: "--misfire <policy>", about: "opt.cron.misfire", choices: ["skip", "latest_once", "all"] },
      { flags: "--name <label>", about: "opt.cron.name" },
      { flags: "--agent <name>", about: "opt.cron.agent" },
      { flags: "--silent", about: "opt.cron.silent" },
    ],
    examples: [
      'margay cron add --every 2h --message "drink water" --deliver --to cli:direct',
      'margay cron add --at 2026-12-24T18:00 --tz Europe/Berlin --message "light the candles" --to cli:direct',
    ],
    load: async () => (await import("./command.ts")).addJob,
  },
  {
    name: "cron remove",
    args: "<id>",
    about: "about.cron.remove",
    load: async () => (await import("./command.ts")).removeJob,
  },
  {
    name: "cron enable",
    args: "<id>",
    about: "about.cron.enable",
    load: async () => (await import("./command.ts")).enableJob,
  },
  {
    name: "cron disable",
    args: "<id>",
    about: "about.cron.disable",
    load: async () => (await import("./command.ts")).disableJob,
  },
  { name: "cron run", args: "<id>", about: "about.cron.run", load: async () => (await import("./command.ts")).runJob },
  {
    name: "cron resume",
    about: "about.cron.resume",
    load: async () => (await import("./cron-resume.ts")).resumeSchedules,
  },
  {
    name: "cron runs",
    args: "<id>",
    about: "about.cron.runs",
    load: async () => (await import("./command.ts")).showRuns,
  },
];
