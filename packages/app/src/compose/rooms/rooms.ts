/** Rooms: what a conversation gets that others read than the owner. One per person, made at first use. */
import { join } from "node:path";
import { type Agent, createRegistry, RuntimeError, type Tool, type ToolRegistry } from "@margay/core";
import { rememberTool, useSkillTool } from "@margay/core/builtin";
import {
  type Audience,
  isGroup,
  MAIN,
  makeDirectory,
  openFileLabels,
  openUnknownRepositories,
  type PeopleOptions,
  type PersonId,
  replaceFile,
  type Room,
  type Skills,
} from "@margay/core/internal";
import { agentNames, type AgentParts, partsOf as agentParts } from "../../host/agents.ts";
import { timeZoneOf } from "../../config/load.ts";
import { OWNER } from "../../host/people.ts";
import { agentFolder, hasRoom, roomStateOf, spaceOf } from "../../host/spaces.ts";
import type { Holdings } from "../../app.ts";
import type { Contexts } from "../contexts.ts";
import type { Engines } from "../engines.ts";
import type { Ground } from "../ground.ts";
import { narrowedSkills, narrowedTools } from "../narrowed.ts";
import { confined, roomMemories, toolsByRole, withoutPlaces } from "./room-parts.ts";
import { conversationTools, type ToolsOptions, workTools } from "../tools.ts";

/** Of persons and groups; the least recently used gives way, and is made again when it is needed. */
const MAX_ROOMS = 64;

interface Given {
  readonly contexts: Contexts;
  /** Called in a turn, when the agent exists. */
  readonly agent: () => Agent;
}

/** What readers have, whichever agent they speak to. */
interface Place {
  /** Absent: there it is the home itself. */
  readonly make: (agent: AgentParts | undefined, timeZone: string) => Room;
  /** As they were made, by whose time it is there and what an agent is. */
  readonly made: Map<string, Room>;
  readonly closing: AsyncDisposableStack;
  /** Guests have none. */
  readonly holdings?: Holdings;
}

export interface Rooms {
  readonly room: PeopleOptions["room"];
  /** What the pages show of a room. @param person Absent: the owner. */
  readonly holdingsOf: (person: PersonId | undefined) => Holdings;
}

/** @param stack Closes them. */
export function openRooms(ground: Ground, engines: Engines, given: Given, stack: AsyncDisposableStack): Rooms {
  const folders = agentFolders(ground);
  const { workspace, places: dirs } = ground.options.loaded;
  const ofOwner: Holdings = { memory: engines.memory, recall: engines.recall, workspace, state: dirs.home };
  const owner = placeOf(ownerRoom(ground, engines, given, folders), ofOwner);
  const guests = placeOf(guestRoom(engines, given));
  const places = new Map<Audience, Place>();
  stack.defer(async () => {
    await Promise.all([...places.values()].map(({ closing }) => closing.disposeAsync()));
  });
  const placeFor = (audience: Audience): Place => {
    if (audience === OWNER) return owner;
    if (!hasRoom(audience)) return guests;
    const found = places.get(audience) ?? openPlace(ground, engines, { ...given, folders }, audience);
    places.delete(audience);
    places.set(audience, found); // the last in the map is the one used last
    const [oldest] = places;
    if (places.size > MAX_ROOMS && oldest !== undefined) {
      places.delete(oldest[0]);
      void oldest[1].closing.disposeAsync();
    }
    return found;
  };
  const room: Rooms["room"] = (audience, agent) => {
    const { made, make } = placeFor(audience);
    const { loaded } = ground.current;
    const parts = agent === undefined ? undefined : agentParts(agent, loaded.config);
    const timeZone = timeZoneOf(loaded, audience);
    const key = JSON.stringify([timeZone, parts]);
    const found = made.get(key) ?? make(parts, timeZone);
    if (made.size >= MAX_ROOMS) made.clear(); // agents that were changed so often
    made.set(key, found);
    return found;
  };
  const holdingsOf: Rooms["holdingsOf"] = (person = OWNER) => {
    const { holdings } = placeFor(person);
    if (holdings !== undefined) return holdings;
    throw new RuntimeError("internal.bug", `There is no room of ${person}.`);
  };
  return { room, holdingsOf };
}

function placeOf(make: Place["make"], holdings?: Holdings, closing = new AsyncDisposableStack()): Place {
  return { make, made: new Map(), closing, ...(holdings !== undefined && { holdings }) };
}

/** The owner's own, with less than all of it: without an agent nobody asks for it. */
function ownerRoom(
  { options }: Ground,
  { toolbox, skills, memory, schedule }: Engines,
  { contexts }: Given,
  folders: AgentFolders,
): Place["make"] {
  const { loaded } = options;
  return (parts = HOME) => {
    const some = narrowedSkills(skills, parts);
    const folder = folders(parts);
    const { workspace, isShared } = folder ?? { ...loaded, isShared: false };
    const all =
      folder === undefined
        ? toolbox
        : toolbox.inFolder({ ...inFolder(folder, some), loaded: confined(loaded, workspace) });
    const contextOf = (tools: ToolRegistry): Room["context"] =>
      contexts.owner({ tools, workspace, skills: some, persona: parts.persona, hasShared: folder === undefined });
    const own = [useSkillTool(some), ...schedule.toolsOf(undefined, parts.name)];
    const tools = narrowedTools(all.tools, parts, own);
    const childTools = narrowedTools(all.childTools, parts, own);
    return {
      ...modelOf(parts),
      ...{ tools, memory, workspace, isShared, context: contextOf(tools) },
      toolsReady: (signal) => toolbox.serversReady(OWNER, signal),
      children: { tools: childTools, context: contextOf(childTools) },
    };
  };
}

/** No files and no memory: an agent has none there either. */
function guestRoom({ toolbox }: Engines, { contexts }: Given): Place["make"] {
  return (parts = HOME) => {
    const tools = narrowedTools(toolbox.guestTools, parts, []);
    return {
      ...modelOf(parts),
      tools,
      toolsReady: (signal) => toolbox.serversReady("guest", signal),
      context: contexts.guests({ tools, persona: parts.persona }),
    };
  };
}

/** What the home itself has of its own: all. */
const HOME: AgentParts = { name: MAIN, hash: "", tools: [], skills: [], files: { in: "home" } };

function modelOf({ model }: AgentParts): Pick<Room, "model"> {
  return model === undefined ? {} : { model };
}

interface Folder extends Pick<ToolsOptions, "labels" | "unknown"> {
  readonly workspace: string;
  /** More than one reader writes there. */
  readonly isShared: boolean;
}

function openFolder(workspace: string, state: string, { clock }: Pick<Ground, "clock">): Folder {
  for (const directory of [workspace, state]) makeDirectory(directory);
  const labels = openFileLabels(state, clock);
  const unknown = openUnknownRepositories({ workspace, labels, clock, isOwn: () => false });
  return { workspace, labels, unknown, isShared: false };
}

/** The folder of an agent that has one of its own; one for all who work with it. */
type AgentFolders = (parts: AgentParts) => Folder | undefined;

function agentFolders({ options, clock }: Ground): AgentFolders {
  const known = new Map<string, Folder>();
  return ({ files }) => {
    if (files.in !== "own") return undefined;
    const { workspace, state } = agentFolder(options.loaded.places, files.name);
    const found = known.get(files.name) ?? openFolder(workspace, state, { clock });
    known.set(files.name, found);
    return { ...found, isShared: files.isShared };
  };
}

/** What one of several readers wrote there is no word of another's. */
function inFolder(
  { labels, unknown, isShared }: Folder,
  skills: Skills,
): Pick<ToolsOptions, "labels" | "unknown" | "skills"> {
  return {
    labels,
    unknown,
    skills: isShared ? { ...skills, isUntrusted: () => Promise.resolve(true) } : skills,
  };
}

/** The same parts as the owner's, over a folder and a state of its own; commands by the role, and the servers that are for who reads there. */
function openPlace(
  ground: Ground,
  { conversations, skills, schedule, toolbox, shared }: Engines,
  { contexts, agent, folders }: Given & { readonly folders: AgentFolders },
  audience: Audience,
): Place {
  const closing = new AsyncDisposableStack();
  const { options, clock, current } = ground;
  const { loaded, env } = options;
  const { places } = loaded;
  const space = spaceOf(places, audience);
  const state = roomStateOf(places, audience);
  const home = openFolder(space, state, { clock });
  const isOfGroup = isGroup(audience);
  // Whose it is, for whoever looks at the folder.
  if (isOfGroup) replaceFile(join(space, "space.json"), `${JSON.stringify({ version: 1, audience })}\n`);
  const own = confined(loaded, space);
  const others = isOfGroup ? undefined : toolbox.commandsIn({ ...home, loaded: own, state });
  const beforeWrite = others?.writingItself;
  const { memory, recall } = roomMemories(
    ground,
    conversations,
    { audience, state, loaded: own, ...(beforeWrite !== undefined && { beforeWrite }) },
    closing,
  );
  const ofHouse = withoutPlaces(skills);
  const toolsReady = (signal: AbortSignal): Promise<void> => toolbox.serversReady(audience, signal);
  const make: Place["make"] = (parts = HOME, timeZone) => {
    const some = narrowedSkills(ofHouse, parts);
    const folder = folders(parts) ?? home;
    const { workspace, isShared } = folder;
    const hasShared = folder === home && !isOfGroup;
    const toolOptions: ToolsOptions = {
      ...inFolder(folder, some),
      loaded: confined(loaded, workspace),
      ...{ env, clock, memory, recall, blobs: conversations.blobs },
      readsAll: () => true, // the index holds what is theirs, and nothing else
      agents: () => agentNames(current.loaded.config, audience) ?? [],
      ...(hasShared && { shared: shared.of(audience) }),
      ...(folder === home && others), // without parts of commands there are none
    };
    const work = workTools(toolOptions);
    const { persona } = parts;
    if (isOfGroup) {
      // Whoever is in it could have anything done: it reads, and keeps what it is told.
      const all = createRegistry([...work.filter(({ name }) => OF_GROUPS.has(name)), rememberTool(memory)]);
      const tools = narrowedTools(toolbox.withServers(all, audience), parts, []);
      return {
        ...modelOf(parts),
        tools,
        context: contexts.group({ workspace, space, tools, persona }),
        ...{ memory, workspace, isShared, toolsReady },
      };
    }
    const talk = conversationTools(toolOptions, agent);
    const jobs = schedule.toolsOf(audience, parts === HOME ? undefined : parts.name);
    const offered = (own: readonly Tool[]): ToolRegistry =>
      narrowedTools(
        toolbox.withServers(
          toolsByRole(createRegistry(own), audience, () => current.loaded.config),
          audience,
        ),
        parts,
        [],
      );
    const tools = offered([...work, ...talk, ...jobs]);
    const childTools = offered(work);
    const contextOf = (of: ToolRegistry): Room["context"] =>
      contexts.person({
        ...{ workspace, space, persona, skills: some, tools: of, hasShared, timeZone },
        name: () => current.loaded.config.people[audience]?.name,
      });
    return {
      ...modelOf(parts),
      ...{ tools, toolsReady, memory, workspace, isShared, context: contextOf(tools) },
      children: { tools: childTools, context: contextOf(childTools) },
    };
  };
  return placeOf(make, { memory, recall, workspace: space, state }, closing);
}

const OF_GROUPS: ReadonlySet<string> = new Set([
  "read_file",
  "list_dir",
  "search_files",
  "recall",
  "web_search",
  "web_fetch",
]);
