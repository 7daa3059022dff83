/** What compose.ts hands to the commands, the chat and the gateway. Types only. */
import type { Agent, Audit, Clock, CronService, Ids, Logger } from "@margay/core";
import type { TerminalChannel } from "./channels/terminal.ts";
import type { Loaded } from "./config/load.ts";
import type { Language } from "./i18n/text.ts";

export interface App extends AsyncDisposable {
  readonly agent: Agent;
  /** The `cli` channel: a view attaches to it and gets the replies that waited. */
  readonly terminal: TerminalChannel;
  /** Jobs, heartbeat, greeting: they run in a process that stays, see start-chat.ts. */
  readonly schedule: AppSchedule;
  readonly audit: Audit;
  /** The configuration the agent was built from, with its places on disk. */
  readonly loaded: Loaded;
  readonly language: Language;
  /** True while no model is configured: answers come from practice mode, and every surface says so (CF3). */
  readonly practice: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /**
   * A changed configuration, from the next turn on: all keys that are not marked `restart`.
   * @throws RuntimeError `provider.unknown`, `plugin.missing`: nothing was changed.
   */
  configure(loaded: Loaded): void;
  /** True when the last process did not end cleanly. */
  readonly unclean: boolean;
}

/** What commands and long-running processes use of it. */
export interface AppSchedule {
  /** Undefined when jobs are switched off. */
  readonly cron: CronService | undefined;
  readonly parts: readonly { readonly name: string; run(signal: AbortSignal): Promise<void> }[];
  configure(loaded: Loaded): void;
}

export interface ComposeOptions {
  readonly loaded: Loaded;
  readonly language: Language;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** One JSON line each. */
  readonly writeLog: (line: string) => void;
}
