/** What compose.ts hands to the commands, the chat and the gateway. Types only. */
import type { Agent, Audit, Clock, Ids, Logger } from "@margay/core";
import type { TerminalChannel } from "./channels/terminal.ts";
import type { Loaded } from "./config/load.ts";
import type { Language } from "./i18n/text.ts";

export interface App extends AsyncDisposable {
  readonly agent: Agent;
  /** The `cli` channel: a view attaches to it and gets the replies that waited. */
  readonly terminal: TerminalChannel;
  readonly audit: Audit;
  /** The configuration the agent was built from, with its places on disk. */
  readonly loaded: Loaded;
  readonly language: Language;
  /** True when no model is configured: answers come from practice mode, and every surface says so (CF3). */
  readonly practice: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** True when the last process did not end cleanly. */
  readonly unclean: boolean;
}

export interface ComposeOptions {
  readonly loaded: Loaded;
  readonly language: Language;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One JSON line each. */
  readonly writeLog: (line: string) => void;
}
