/** `margay …` in a text, as the person who reads it can type it. */

/** What this program is called where it was started; set by what starts it from a checkout. */
export function commandIn(env: Readonly<Record<string, string | undefined>>): string {
  return env["MARGAY_COMMAND"] ?? "margay";
}

/** First words of commands, and what stands in their place in a line of help. */
const COMMAND =
  /(?<![\w./@:-])margay (?=(?:agent|approvals|audit|backup|channels|completion|config|cron|doctor|explain|gateway|import|mcp|memory|models|move|onboard|open|people|plugin|quarantine|restore|resume|secrets|sessions|skills|status|stop|token|trust|undo|usage)\b|--|\[)/g;

/** A text that went through here already stays as it is: also where the command itself ends in `margay`, as `npx margay` does. */
export function asTyped(text: string, command: string): string {
  if (command === "margay") return text;
  const before = command.endsWith(" margay") ? command.slice(0, -"margay".length) : undefined;
  return text.replaceAll(COMMAND, (found, at: number) =>
    before !== undefined && text.slice(0, at).endsWith(before) ? found : `${command} `,
  );
}
