// What no tool opens, by where it really lies: the agent's own state, but for a workspace that lies in it.
import { realpathSync, statSync } from "node:fs";
import { identity } from "./open-directory.ts";
import { insideRoot, type Protection } from "./safe-walk.ts";

/**
 * As the places are at this moment. A workspace in a protected directory leaves the way to it and what is below it;
 * everything else there is protected, also what a later version keeps there.
 * @param places absolute. @param workspace its real path.
 */
export function protectionOf(places: readonly string[], workspace: string): Protection {
  const found = places.map((place) => ({ real: realOf(place), id: identityOf(place) }));
  const leads = (real: string, to: string): boolean => typeof insideRoot(to, [real]) !== "string";
  return {
    refuses: (entry, id) =>
      found.some(
        (place) =>
          ((id !== undefined && id === place.id) || leads(place.real, entry)) &&
          !(leads(place.real, workspace) && (leads(workspace, entry) || leads(entry, workspace))),
      ),
    refusesListing: (directory) =>
      found.some(({ real }) => leads(real, directory) && leads(real, workspace) && !leads(workspace, directory)),
  };
}

/** `dev:ino` of those that exist, for who meets them in a tree. */
export function identitiesOf(places: readonly string[]): ReadonlySet<string> {
  return new Set(places.flatMap((place) => identityOf(place) ?? []));
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
