/** Yes-or-no questions to the owner at the terminal. Whoever cannot be asked has not agreed. */
import { YES } from "./answers.zh.ts";
import type { Cli, Input } from "./command.ts";
import type { Terminal } from "./output.ts";

/** `--yes`, or what the owner types. */
export async function confirmed({ terminal, signal }: Cli, input: Input, question: string): Promise<boolean> {
  return input.options["yes"] === true || askOwner(terminal, question, signal);
}

/** @returns true for a clear yes only; false without a person to ask. */
export async function askOwner(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  if (!terminal.interactive) return false;
  const typed = await terminal.ask(question, signal);
  return ["y", "yes", ...YES].includes(typed?.trim().toLowerCase() ?? "");
}
