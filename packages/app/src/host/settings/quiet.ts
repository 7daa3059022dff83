/** The hours in which a person hears no sound: their own, the owner's those of the greeting. */
import { parseQuietHours, quietUntil, zonedClock, type Millis } from "@margay/core/internal";
import { timeZoneOf, type Loaded } from "../../config/load.ts";
import { OWNER } from "../people.ts";

/** @returns when the quiet hours end that the moment lies in; undefined: it lies in none. */
export type QuietUntil = (person: string, at: Millis) => Millis | undefined;

/** @param loaded the configuration that holds now. */
export function quietHours(loaded: () => Loaded): QuietUntil {
  const zones = new Map<string, ReturnType<typeof zonedClock>>();
  const zoneOf = (name: string): ReturnType<typeof zonedClock> => {
    const zone = zones.get(name) ?? zonedClock(name);
    zones.set(name, zone);
    return zone;
  };
  return (person, at) => {
    const { config } = loaded();
    const own = Object.hasOwn(config.people, person) ? config.people[person]?.quietHours : undefined;
    const hours = own ?? (person === OWNER ? config.greeting.quietHours : undefined);
    return hours === undefined
      ? undefined
      : quietUntil(at, parseQuietHours(hours), zoneOf(timeZoneOf(loaded(), person)));
  };
}
