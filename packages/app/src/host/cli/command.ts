/** What a command is: a row of the table in `commands.ts`, and a function that is imported when it is used. */
import type { App } from "../../app.ts";
import type { Environment } from "../../config/environment.ts";
import type { Loaded, LoadOptions } from "../../config/load.ts";
import type { Places } from "../../config/paths.ts";
import type { Language } from "../../texts/text.ts";
import type { TextKey, Translate } from "../../texts/translate.ts";
import type { Json } from "@margay/core";
import type { LoadSurface } from "../control/surface.ts";
import type { Terminal } from "./output.ts";

/** Everything a command gets. */
export interface Cli {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly places: Places;
  readonly language: Language;
  /** What this person types for `margay`. */
  readonly command: string;
  readonly t: Translate;
  readonly json: boolean;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** What `load` reads it with: a process that stays reads again. */
  loadOptions(flags?: Readonly<Record<string, Json>>): LoadOptions;
  /** Reads the configuration. @throws RuntimeError as loadConfig does. */
  load(flags?: Readonly<Record<string, Json>>): Loaded;
  /** The same for what only shows it: the vault stays closed, and the keyring is not asked. */
  loadShown(flags?: Readonly<Record<string, Json>>): Loaded;
  /** What a process that holds the lock serves. */
  readonly surface: LoadSurface;
  /** Builds the agent and takes the lock of the state directory. @throws RuntimeError `state.locked`. */
  compose(options?: { readonly flags?: Readonly<Record<string, Json>>; readonly asksAtOnce?: boolean }): Promise<App>;
}

/** What was typed after the command's name. */
export interface Input {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** @returns the exit code. */
export type Run = (cli: Cli, input: Input) => Promise<number>;

export interface OptionSpec {
  /** As commander reads them: `-m, --message <text>`. */
  readonly flags: string;
  readonly about: TextKey;
  /** May be given several times. */
  readonly repeat?: true;
  readonly choices?: readonly string[];
}

export interface CommandSpec {
  /** `sessions list`; empty for `margay` alone. */
  readonly name: string;
  /** `<key> [value]`. */
  readonly args?: string;
  readonly about: TextKey;
  readonly options?: readonly OptionSpec[];
  readonly examples?: readonly string[];
  /** Absent: a group that only holds others. */
  readonly load?: () => Promise<Run>;
}

/** `again`: ended to be started anew; only what supervises the process sees it. */
export const EXIT = { done: 0, failed: 1, usage: 2, busy: 75, config: 78, again: 85, interrupted: 130 } as const;

export function textOption(input: Input, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === "string" ? value : undefined;
}

export function listOption(input: Input, name: string): readonly string[] {
  const value = input.options[name];
  return typeof value === "object" ? value : [];
}
