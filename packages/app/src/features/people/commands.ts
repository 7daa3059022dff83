/** The rows of `margay people` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "people",
    about: "about.people",
    examples: [
      "margay people list",
      "margay people link owner telegram:42",
      "margay people add eva --name Eva --id telegram:77",
      "margay people explain telegram:99",
    ],
  },
  {
    name: "people list",
    about: "about.people.list",
    load: async () => (await import("./command.ts")).listPeople,
  },
  {
    name: "people add",
    args: "<person>",
    about: "about.people.add",
    options: [
      { flags: "--name <text>", about: "opt.people.name" },
      { flags: "--role <role>", about: "opt.people.role", choices: ["member", "operator"] },
      { flags: "--id <identity>", about: "opt.people.id", repeat: true },
    ],
    examples: ["margay people add eva", "margay people add eva --name Eva --id telegram:77"],
    load: async () => (await import("./change.ts")).addPerson,
  },
  {
    name: "people invite",
    args: "<person>",
    about: "about.people.invite",
    examples: ["margay people invite eva"],
    load: async () => (await import("./invite-command.ts")).invitePerson,
  },
  {
    name: "people remove",
    args: "<person>",
    about: "about.people.remove",
    options: [{ flags: "--delete", about: "opt.people.delete" }],
    examples: ["margay people remove eva", "margay people remove eva --delete"],
    load: async () => (await import("./change.ts")).removePerson,
  },
  {
    name: "people link",
    args: "<person> <identity>",
    about: "about.people.link",
    examples: ["margay people link owner telegram:42", "margay people link eva webhook:eva"],
    load: async () => (await import("./change.ts")).linkIdentity,
  },
  {
    name: "people unlink",
    args: "<person> <identity>",
    about: "about.people.unlink",
    examples: ["margay people unlink owner telegram:42"],
    load: async () => (await import("./change.ts")).unlinkIdentity,
  },
  {
    name: "people explain",
    args: "<identity>",
    about: "about.people.explain",
    options: [
      { flags: "--group <chat>", about: "opt.people.group" },
      { flags: "--addressed", about: "opt.people.addressed" },
    ],
    examples: ["margay people explain telegram:99", "margay people explain telegram:99 --group -100123 --addressed"],
    load: async () => (await import("./command.ts")).explainPerson,
  },
];
