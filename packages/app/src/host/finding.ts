/** What a check of `margay doctor` found. */
import { messageOf } from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";
import type { Environment } from "../config/environment.ts";
import type { Places } from "../config/paths.ts";
import type { Language } from "../texts/text.ts";
import type { Translate } from "../texts/translate.ts";

export type Level = "ok" | "warning" | "problem" | "fixed";

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** The exact command that repairs it. */
  readonly repair?: string;
}

/** @param variable May hold the key of the model's provider. */
export function noKey(id: string, model: string, variable: string, { t }: Pick<Examined, "t">): Finding {
  const provider = model.slice(0, model.indexOf("/"));
  return {
    id,
    level: "problem",
    text: t("error.noKey", { model, variable, provider }),
    repair: `margay config set providers.${provider}.apiKey -`,
  };
}

/** What a check looks at: no terminal, so that pages can ask too. */
export interface Examined {
  readonly environment: Environment;
  readonly places: Places;
  readonly language: Language;
  readonly t: Translate;
  readonly signal: AbortSignal;
  load(): Loaded;
}

/** `fix`: repairs that lose nothing may be made. */
export type Check = (examined: Examined, fix: boolean) => Promise<readonly Finding[]> | readonly Finding[];

/** A check that cannot look says so; the others go on. */
export async function findingsOf(
  id: string,
  { t, signal }: Pick<Examined, "t" | "signal">,
  look: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    signal.throwIfAborted();
    return [{ id, level: "problem", text: t("doctor.failed", { id, reason: messageOf(error) }) }];
  }
}

export type ConfigCheck = (cli: Examined, loaded: Loaded) => Promise<readonly Finding[]> | readonly Finding[];

/** Every check of `margay doctor` by its name, in the order in which they are shown. */
export interface Checks {
  /** Of the machine and the state directory. */
  readonly machine: Readonly<Record<string, Check>>;
  /** Of what is configured. */
  readonly configured: Readonly<Record<string, ConfigCheck>>;
}
