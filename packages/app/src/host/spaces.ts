/** Where the files of people beside the owner lie. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionState } from "@margay/core";
import { isGroup, MAIN, sha256, type Audience, type PersonId } from "@margay/core/internal";
import { isPersonId } from "../config/people-faults.ts";
import type { Loaded } from "../config/load.ts";
import type { Places } from "../config/paths.ts";
import { partsOf } from "./agents.ts";

/** The files of a person, or of a group: the same layout as the owner's workspace. */
export function spaceOf({ home }: Pick<Places, "home">, audience: Audience): string {
  return join(home, "spaces", nameOf(audience));
}

/** Chat ids of platforms are no names of folders. */
function nameOf(audience: Audience): string {
  return isGroup(audience) ? `g-${sha256(audience).slice(0, 16)}` : `${PERSONS}${audience}`;
}

const PERSONS = "p-";
const isPersons = (name: string): boolean => name.startsWith(PERSONS);

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

/** Of every person who has one, also when they are nobody any more. */
export function personsRoomStates({ home }: Pick<Places, "home">): readonly string[] {
  const rooms = join(home, "rooms");
  return (existsSync(rooms) ? readdirSync(rooms) : []).filter(isPersons).map((name) => join(rooms, name));
}

export function roomFolders(places: Pick<Places, "home">, person: PersonId): readonly string[] {
  return [spaceOf(places, person), roomStateOf(places, person)];
}

/** The files of an agent that has some of its own, and what margay keeps of them. */
export function agentFolder(
  { home }: Pick<Places, "home">,
  agent: string,
): { readonly workspace: string; readonly state: string } {
  return { workspace: join(home, "spaces", `a-${agent}`), state: join(home, "rooms", `a-${agent}`) };
}

/** The folder that the persons of the home share, and what margay keeps of it. */
export function sharedFolder({ home }: Pick<Places, "home">): { readonly folder: string; readonly state: string } {
  return { folder: join(home, "spaces", "shared"), state: join(home, "rooms", "shared") };
}

/** Where relative paths begin in a conversation that has the shared folder: those of persons, but for agents with files of their own. */
export function workspaceWithShared(
  loaded: Loaded,
  state: Pick<SessionState, "audience" | "bound">,
): string | undefined {
  const { audience, bound } = state;
  const isPersons = audience === undefined || isPersonId(audience);
  return isPersons && filesOf(loaded, bound)?.in !== "own" ? workspaceOf(loaded, state) : undefined;
}

function filesOf({ config }: Loaded, bound: SessionState["bound"]): ReturnType<typeof partsOf>["files"] | undefined {
  return bound === undefined || bound.agent === MAIN ? undefined : partsOf(bound.agent, config).files;
}

/** Where relative paths of a conversation begin. */
export function workspaceOf(loaded: Loaded, { audience, bound }: Pick<SessionState, "audience" | "bound">): string {
  const { places, workspace } = loaded;
  const files = filesOf(loaded, bound);
  if (files?.in === "own" && audience !== "guest") return agentFolder(places, files.name).workspace;
  return audience !== undefined && hasRoom(audience) ? spaceOf(places, audience) : workspace;
}
