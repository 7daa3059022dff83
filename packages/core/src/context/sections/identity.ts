// Who the agent is, where it runs, whom it serves, how it talks.
import type { Section } from "../../contract/services.ts";
import { personaText } from "../../personas/personas.ts";
import type { SectionOptions } from "./section-options.ts";

/** Name, environment, user and personality. No clock: identical bytes on any two days. */
export function identitySection(options: SectionOptions): Section {
  return {
    id: "identity",
    render: async (state) => {
      const { persona, environment, workspace } = options;
      const user = oneLine(persona.userName);
      const address = oneLine(persona.userAddress);
      const lines = [
        `You are ${oneLine(persona.name) || "margay"}, a personal AI agent. You get things done with tools and answer in the user's language, briefly.`,
        ...(options.forGuests === true
          ? []
          : [
              `Environment: ${environment.os} ${environment.arch}, Node ${environment.node}.`,
              `Workspace: ${workspace} (relative paths start here).`,
            ]),
        user === "" ? "" : `The user's name is ${user}.`,
        address === "" ? "" : `Address the user as ${address}.`,
      ];
      const personality = personaText(persona, state.persona, options.language);
      const identity = lines.filter((line) => line !== "").join("\n");
      return personality === undefined ? identity : `${identity}\n\n${personality}`;
    },
  };
}

function oneLine(text: string | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}
