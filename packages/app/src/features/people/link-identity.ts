/** An identity becomes somebody's: in `config.json`, and from the next message on. */
import type { Logger } from "@margay/core";
import { messageOf, type PersonId } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { type Loaded, readConfigFile } from "../../config/load.ts";
import type { AppAudit } from "../../host/audit-events.ts";
import { type Identity, identityPlace, OWNER } from "../../host/people.ts";
import type { Translate } from "../../texts/translate.ts";

/** What is written, and where it is told. */
export interface LinkOptions {
  /** As it is now. */
  readonly loaded: () => Loaded;
  /** What holds from now on: the file has it already. */
  readonly take: (loaded: Loaded) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly audit: Pick<AppAudit, "record">;
  readonly log: Pick<Logger, "error">;
  readonly t: Translate;
}

/** @param by Who let it happen, for the audit log. @returns false: the file could not be written. It says the same as before then. */
export async function linkIdentity(
  { loaded, take, env, audit, log, t }: LinkOptions,
  person: PersonId,
  identity: Identity,
  by: string,
): Promise<boolean> {
  const now = loaded();
  try {
    // A configuration that a program handed over is in no file.
    if (!now.exists) throw new Error("there is no config.json");
    const { saveChanges } = await import("../../config/save.ts");
    const seen = readConfigFile(now.places, t);
    const { path, list, entry } = identityPlace(seen.raw, person, identity);
    const value = [...new Set([...list, entry])];
    const { raw } = await saveChanges([{ path, value }], { places: now.places, env, t, seen });
    take({ ...now, raw, config: withIdentity(now.config, person, identity) });
  } catch (error) {
    log.error("link.failed", { person, ...identity, message: messageOf(error) });
    return false;
  }
  audit.record("person.linked", { person, ...identity, by });
  return true;
}

/** From the next message on, also before the file is read again. */
function withIdentity(config: Config, person: PersonId, { channel, sender }: Identity): Config {
  const { people, channelsById } = config;
  const known = people[person];
  const beside = channelsById[channel];
  if (person === OWNER && beside !== undefined)
    return {
      ...config,
      channelsById: { ...channelsById, [channel]: { ...beside, operators: [...beside.operators, sender] } },
    };
  return known === undefined
    ? config
    : { ...config, people: { ...people, [person]: { ...known, ids: [...known.ids, `${channel}:${sender}`] } } };
}

/** `channel:id`. */
export function nameOf({ channel, sender }: Identity): string {
  return `${channel}:${sender}`;
}
