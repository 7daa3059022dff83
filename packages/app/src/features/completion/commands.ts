/** The rows of `margay completion` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

/** @param all The table of commands, with these rows in it. */
export function completionCommands(all: () => readonly CommandSpec[]): readonly CommandSpec[] {
  return [
    {
      name: "completion",
      args: "<shell>",
      about: "about.completion",
      examples: [
        "margay completion bash > ~/.local/share/bash-completion/completions/margay",
        "margay completion zsh > ~/.zfunc/_margay",
        "margay completion fish > ~/.config/fish/completions/margay.fish",
        "margay completion man > ~/.local/share/man/man1/margay.1",
      ],
      load: async () => (await import("./command.ts")).runCompletion(all),
    },
  ];
}
