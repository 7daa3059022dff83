/** What is here already, as planning asks for it. */
import type { Calendar, Commit, Json, Millis, Misfire } from "@margay/core";

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
  readonly cron: { readonly enabled: boolean; readonly misfire: Misfire };
  readonly calendar: Calendar;
  readonly now: Millis;
}

/** `unknown`: no such key. `wrong`: not a value it can have. `same` and `set`: it has this value, another one. */
export interface JudgedSetting {
  readonly secret: boolean;
  readonly verdict: "unknown" | "wrong" | "free" | "same" | "set";
}

export interface TargetSession {
  /** Something was said in it, or waits to be. */
  isUsed(): Promise<boolean>;
  commits(): AsyncIterable<Commit>;
}
