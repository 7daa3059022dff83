// The home directory of the user margay runs as.
import { homedir } from "node:os";

/** Where there is none, a place that does not exist: a user id without an entry, in a container for example, has no home. */
export function ownHome(): string {
  try {
    return homedir();
  } catch {
    return "/nonexistent";
  }
}
