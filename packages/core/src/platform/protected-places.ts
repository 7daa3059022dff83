// What no tool opens, by where it really lies: the agent's own state, but for a workspace that lies in it (R280).
import { realpathSync, statSync } from "node:fs";
import { identity } from "./open-directory.ts";
import { insideRoot, type Protection } from "./safe-walk.ts";

export interface ProtectedPlaces {
  /** `dev:ino` of those that exist. */
  identities(): ReadonlySet<string>;
  /** What a walk asks at each step. */
  look(): Protection;
}

interface Found {
  readonly real: string;
  readonly id: string | undefined;
}

/**
 * A workspace in a protected directory leaves the way to it and what is below it; everything else there is protected,
 * also what a later version keeps there.
 * @param places absolute. @param workspace its real path.
 */
export function protectedPlaces(places: readonly string[], workspace: () => string): ProtectedPlaces {
  const look = (): readonly Found[] => places.map((place) => ({ real: realOf(place), id: identityOf(place) }));
  return {
    identities: () => new Set(look().flatMap(({ id }) => id ?? [])),
    look: () => {
      const found = look();
      const own = workspace();
      const leads = (real: string, to: string): boolean => typeof insideRoot(to, [real]) !== "string";
      return {
        refuses: (entry, id) =>
          found.some(
            (place) =>
              ((id !== undefined && id === place.id) || leads(place.real, entry)) &&
              !(leads(place.real, own) && (leads(own, entry) || leads(entry, own))),
          ),
        refusesListing: (directory) =>
          found.some(({ real }) => leads(real, directory) && leads(real, own) && !leads(own, directory)),
      };
    },
  };
}

function realOf(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place; // not there yet
  }
}

/** Undefined: nothing is there, or it may not be looked at. */
function identityOf(place: string): string | undefined {
  try {
    // An error costs twenty times a look.
    const found = statSync(place, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : identity(found);
  } catch {
    return undefined;
  }
}
