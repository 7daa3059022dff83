/** The rows of `margay onboard` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";
import type { Homes } from "./homes.ts";

/** @param homes What importing lends, loaded when somebody sets up. */
export const onboardCommands = (homes: () => Promise<Homes>): readonly CommandSpec[] => [
  {
    name: "onboard",
    about: "about.onboard",
    options: [YES],
    examples: ["margay onboard", "margay onboard --yes"],
    load: async () => (await import("./command.ts")).runOnboard(await homes()),
  },
];
