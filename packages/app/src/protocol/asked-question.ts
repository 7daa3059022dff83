/** What is asked before a call, as one person asks another: for pages and terminals. */
import { isKey } from "@margay/core/internal/state";
import { ASKED_WORDS } from "./asked-words.en.ts";

/** @returns a key of {@link ASKED_WORDS}; `asks.other` takes `tool`. */
export function askedQuestion(tool: string, rule: string): keyof typeof ASKED_WORDS {
  if (rule === "network") return "asks.network"; // of a command that runs
  if (rule === "readers") return "asks.readers"; // what somebody else would be told
  const own = `may.${tool}`;
  return isKey(ASKED_WORDS, own) ? own : "asks.other";
}
