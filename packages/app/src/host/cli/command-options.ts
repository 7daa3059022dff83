/** Options that mean the same in several commands. */
import type { OptionSpec } from "./command.ts";

export const LIMIT: OptionSpec = { flags: "--limit <count>", about: "opt.limit" };
export const YES: OptionSpec = { flags: "-y, --yes", about: "opt.yes" };
