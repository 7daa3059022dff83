/** `margay …` in a text, as the person who reads it can type it. */

/** What this program is called where it was started; set by what starts it from a checkout. */
export function commandIn(env: Readonly<Record<string, string | undefined>>): string {
  return env["MARGAY_COMMAND"] ?? "margay";
}

/** First words of commands, and what stands in their place in a line of help. */
const COMMAND =
  /(?<![\w./@:-])margay (?=(?:agent|approvals|audit|backup|channels|completion|config|cron|doctor|explain|gateway|import|mcp|memory|models|onboard|open|people|plugin|quarantine|restore|resume|secrets|sessions|skills|status|stop|token|trust|undo|usage)\b|--|\[)/g;

export function asTyped(text: string, command: string): string {
  return command === "margay" ? text : text.replaceAll(COMMAND, `${command} `);
}
