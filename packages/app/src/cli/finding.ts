/** What a check of `margay doctor` found. */
import type { Cli } from "./command.ts";

export type Level = "ok" | "warning" | "problem" | "fixed";

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** The exact command that repairs it. */
  readonly repair?: string;
}

/** `fix`: repairs that lose nothing may be made. */
export type Check = (cli: Cli, fix: boolean) => Promise<readonly Finding[]> | readonly Finding[];
