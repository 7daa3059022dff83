/** The rows of `margay people` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "people",
    about: "about.people",
    examples: ["margay people list", "margay people link owner telegram:42", "margay people explain telegram:99"],
  },
  {
    name: "people list",
    about: "about.people.list",
    load: async () => (await import("./command.ts")).listPeople,
  },
  {
    name: "people link",
    args: "<person> <identity>",
    about: "about.people.link",
    examples: ["margay people link owner telegram:42"],
    load: async () => (await import("./command.ts")).linkIdentity,
  },
  {
    name: "people unlink",
    args: "<person> <identity>",
    about: "about.people.unlink",
    examples: ["margay people unlink owner telegram:42"],
    load: async () => (await import("./command.ts")).unlinkIdentity,
  },
  {
    name: "people explain",
    args: "<identity>",
    about: "about.people.explain",
    examples: ["margay people explain telegram:99", "margay people explain telegram:99 --json"],
    load: async () => (await import("./command.ts")).explainPerson,
  },
];
