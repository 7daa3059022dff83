/** Where the files of people beside the owner lie. */
import { join } from "node:path";
import type { Audience, PersonId } from "@margay/core/internal";
import { isPersonId } from "../config/people-faults.ts";
import type { Loaded } from "../config/load.ts";
import type { Places } from "../config/paths.ts";

/** A person's files: the same layout as the owner's workspace. */
export function spaceOf({ home }: Pick<Places, "home">, person: PersonId): string {
  return join(home, "spaces", `p-${person}`);
}

/** Files of the owner's workspace that every person of the house is served by. */
export const HOUSE_FILES: readonly string[] = ["AGENTS.md", "SOUL.md", "TOOLS.md"];

/** What margay keeps of a person's room beside their files: index, undo, labels, earlier versions of the memory. */
export function roomStateOf({ home }: Pick<Places, "home">, person: PersonId): string {
  return join(home, "rooms", `p-${person}`);
}

export function roomFolders(places: Pick<Places, "home">, person: PersonId): readonly string[] {
  return [spaceOf(places, person), roomStateOf(places, person)];
}

/** Where relative paths of a conversation begin. */
export function workspaceOf({ places, workspace }: Loaded, audience: Audience | undefined): string {
  return audience !== undefined && isPersonId(audience) ? spaceOf(places, audience) : workspace;
}
