/** What compose.ts hands to the commands, the chat and the gateway. Types only. */
import type { Agent, Channel, Clock, Ids, Logger, ModelRef } from "@margay/core";
import type { Loaded } from "./config/load.ts";
import type { Language } from "./i18n/text.ts";

export interface App extends AsyncDisposable {
  readonly agent: Agent;
  /** The configuration the agent was built from, with its places on disk. */
  readonly loaded: Loaded;
  readonly language: Language;
  readonly model: ModelRef;
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
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where replies go besides the configured channels: the terminal of this command. */
  readonly channels?: readonly Channel[];
  /** One JSON line each. */
  readonly writeLog: (line: string) => void;
}
