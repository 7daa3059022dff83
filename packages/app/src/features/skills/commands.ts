/** The rows of `margay skills` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const SKILL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "skills",
    about: "about.skills",
    examples: ["margay skills list", "margay skills add ./my-skill", "margay skills approve my-skill"],
  },
  { name: "skills list", about: "about.skills.list", load: async () => (await import("./command.ts")).listSkills },
  {
    name: "skills show",
    args: "<name>",
    about: "about.skills.show",
    load: async () => (await import("./command.ts")).showSkill,
  },
  {
    name: "skills validate",
    args: "<name>",
    about: "about.skills.validate",
    examples: ["margay skills validate weather", "margay skills validate ./my-skill"],
    load: async () => (await import("./command.ts")).validateSkill,
  },
  {
    name: "skills add",
    args: "<source>",
    about: "about.skills.add",
    options: [YES, { flags: "--only <name>", about: "opt.only", repeat: true }],
    examples: [
      "margay skills add ./my-skill",
      "margay skills add my-skill.tgz --yes",
      "margay skills add @someone/skills --only weather",
    ],
    load: async () => (await import("./command-install.ts")).addSkill,
  },
  {
    name: "skills approve",
    args: "<name>",
    about: "about.skills.approve",
    options: [YES],
    load: async () => (await import("./command-install.ts")).approveSkill,
  },
  {
    name: "skills remove",
    args: "<name>",
    about: "about.skills.remove",
    options: [YES],
    load: async () => (await import("./command-install.ts")).removeSkill,
  },
  {
    name: "skills enable",
    args: "<name>",
    about: "about.skills.enable",
    load: async () => (await import("./command.ts")).enableSkill,
  },
  {
    name: "skills disable",
    args: "<name>",
    about: "about.skills.disable",
    load: async () => (await import("./command.ts")).disableSkill,
  },
];
