/** Where the files of people beside the owner lie. */
import { join } from "node:path";
import { isGroup, sha256, type Audience, type PersonId } from "@margay/core/internal";
import { isPersonId } from "../config/people-faults.ts";
import type { Loaded } from "../config/load.ts";
import type { Places } from "../config/paths.ts";

/** The files of a person, or of a group: the same layout as the owner's workspace. */
export function spaceOf({ home }: Pick<Places, "home">, audience: Audience): string {
  return join(home, "spaces", nameOf(audience));
}

/** Chat ids of platforms are no names of folders. */
function nameOf(audience: Audience): string {
  return isGroup(audience) ? `g-${sha256(audience).slice(0, 16)}` : `p-${audience}`;
}

/** Whether it has a room of its own. What only a journal of somebody else calls so has none: it would name a folder. */
export function hasRoom(audience: Audience): boolean {
  return isGroup(audience) || isPersonId(audience);
}

/** Files of the owner's workspace that every person of the house is served by. */
export const HOUSE_FILES: readonly string[] = ["AGENTS.md", "SOUL.md", "TOOLS.md"];

/** What margay keeps of a room beside its files: index, undo, labels, earlier versions of the memory. */
export function roomStateOf({ home }: Pick<Places, "home">, audience: Audience): string {
  return join(home, "rooms", nameOf(audience));
}

export function roomFolders(places: Pick<Places, "home">, person: PersonId): readonly string[] {
  return [spaceOf(places, person), roomStateOf(places, person)];
}

/** Where relative paths of a conversation begin. */
export function workspaceOf({ places, workspace }: Loaded, audience: Audience | undefined): string {
  return audience !== undefined && hasRoom(audience) ? spaceOf(places, audience) : workspace;
}
