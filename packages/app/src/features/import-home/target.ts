/** What is here already, as planning asks for it. */
import type { Commit, Json } from "@margay/core";
import type { Calendar, Millis, Misfire, SessionId } from "@margay/core/internal";

export interface Target {
  readonly workspace: string;
  readonly timeZone: string;
  /** Of the configuration here. */
  readonly secrets: readonly string[];
  readonly judgeSetting: (path: string, value: Json) => JudgedSetting;
  /** By key. */
  readonly sessions: ReadonlyMap<string, TargetSession>;
  /** Ids. */
  readonly jobs: ReadonlySet<string>;
  /** Whether results can go to chats of this channel. */
  readonly isTarget: (channel: string) => boolean;
  readonly cron: { readonly enabled: boolean; readonly misfire: Misfire };
  readonly calendar: Calendar;
  readonly now: Millis;
}

/**
 * `unknown`: no such key. `wrong`: not a value it can have. `unset`: it names a variable of the environment that is not set.
 * `same` and `set`: it has this value, another one.
 */
export interface JudgedSetting {
  readonly secret: boolean;
  readonly verdict: "unknown" | "wrong" | "unset" | "free" | "same" | "set";
  /** The variable. */
  readonly name?: string;
}

export interface TargetSession {
  readonly id: SessionId;
  /** Something was said in it, or waits to be. */
  isUsed(): Promise<boolean>;
  commits(): AsyncIterable<Commit>;
}
