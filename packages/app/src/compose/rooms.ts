/** Rooms: what a conversation gets that others read than the owner. One per person, made at first use. */
import { join } from "node:path";
import { type Agent, createRegistry } from "@margay/core";
import { rememberTool } from "@margay/core/builtin";
import {
  type Audience,
  isGroup,
  makeDirectory,
  openFileLabels,
  openUnknownRepositories,
  type PeopleOptions,
  replaceFile,
  type Room,
  type Skill,
  type Skills,
} from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";
import { hasRoom, roomStateOf, spaceOf } from "../host/spaces.ts";
import type { Contexts } from "./contexts.ts";
import type { Engines } from "./engines.ts";
import type { Ground } from "./ground.ts";
import { openMemories } from "./memories.ts";
import { conversationTools, type ToolsOptions, workTools } from "./tools.ts";

/** Of persons and groups; the least recently used gives way, and is made again when it is needed. */
const MAX_ROOMS = 64;

interface Given {
  readonly contexts: Contexts;
  /** Called in a turn, when the agent exists. */
  readonly agent: () => Agent;
}

/** @param stack Closes them. */
export function openRooms(
  ground: Ground,
  engines: Engines,
  given: Given,
  stack: AsyncDisposableStack,
): PeopleOptions["room"] {
  const guests: Room = { tools: engines.toolbox.guestTools, context: given.contexts.guests };
  const rooms = new Map<Audience, { readonly room: Room; readonly closing: AsyncDisposableStack }>();
  stack.defer(async () => {
    await Promise.all([...rooms.values()].map(({ closing }) => closing.disposeAsync()));
  });
  return (audience) => {
    if (!hasRoom(audience)) return guests;
    const found = rooms.get(audience) ?? openRoom(ground, engines, given, audience);
    rooms.delete(audience);
    rooms.set(audience, found); // the last in the map is the one used last
    const [oldest] = rooms;
    if (rooms.size > MAX_ROOMS && oldest !== undefined) {
      rooms.delete(oldest[0]);
      void oldest[1].closing.disposeAsync();
    }
    return found.room;
  };
}

/** The same parts as the owner's, over a folder and a state of its own; no commands and no servers. */
function openRoom(
  { options, clock, log, redactor, current }: Ground,
  { conversations, skills, schedule }: Engines,
  { contexts, agent }: Given,
  audience: Audience,
): { readonly room: Room; readonly closing: AsyncDisposableStack } {
  const closing = new AsyncDisposableStack();
  const { loaded, env } = options;
  const { places, config } = loaded;
  const workspace = spaceOf(places, audience);
  const state = roomStateOf(places, audience);
  for (const directory of [workspace, state]) makeDirectory(directory);
  const isOfGroup = isGroup(audience);
  // Whose it is, for whoever looks at the folder.
  if (isOfGroup) replaceFile(join(workspace, "space.json"), `${JSON.stringify({ version: 1, audience })}\n`);
  const own: Loaded = {
    ...loaded,
    workspace,
    // Nobody beside the owner leaves their folder, whatever holds for the owner.
    config: { ...config, tools: { ...config.tools, restrictToWorkspace: true } },
  };
  const labels = openFileLabels(state, clock);
  const unknown = openUnknownRepositories({ workspace, labels, clock, isOwn: () => false });
  const { memory, recall } = openMemories(
    {
      loaded: own,
      state,
      redact: redactor.redact,
      sessions: {
        list: async () =>
          (await conversations.sessions.list()).filter(({ persons = [] }) => persons.includes(audience)),
      },
      reads: (other) => other === audience,
      commits: conversations.journals.read,
      log,
    },
    closing,
  );
  const ofHouse = withoutPlaces(skills);
  // Without parts of commands there are none.
  const toolOptions: ToolsOptions = {
    loaded: own,
    env,
    blobs: conversations.blobs,
    clock,
    skills: ofHouse,
    memory,
    recall,
    labels,
    unknown,
    readsAll: () => true, // the index holds what is theirs, and nothing else
  };
  const work = workTools(toolOptions);
  if (isOfGroup) {
    // Whoever is in it could have anything done: it reads, and keeps what it is told.
    const tools = createRegistry([...work.filter(({ name }) => OF_GROUPS.has(name)), rememberTool(memory)]);
    return { closing, room: { tools, context: contexts.group({ workspace, tools }), memory, workspace } };
  }
  const registry = createRegistry([...work, ...conversationTools(toolOptions, agent), ...schedule.toolsOf(audience)]);
  const childTools = createRegistry(work);
  const prompts = contexts.person({
    workspace,
    name: () => current.loaded.config.people[audience]?.name,
    skills: ofHouse,
    tools: registry,
    childTools,
  });
  return {
    closing,
    room: {
      tools: registry,
      context: prompts.main,
      memory,
      workspace,
      children: { tools: childTools, context: prompts.children },
    },
  };
}

const OF_GROUPS: ReadonlySet<string> = new Set([
  "read_file",
  "list_dir",
  "search_files",
  "recall",
  "web_search",
  "web_fetch",
]);

/** As they are called in every workspace: where the owner's lies is told to nobody else. */
function withoutPlaces(skills: Skills): Skills {
  const placed = (skill: Skill | undefined): Skill | undefined =>
    skill && { ...skill, directory: `skills/${skill.name}`, location: `skills/${skill.name}/SKILL.md` };
  return {
    ...skills,
    list: async (signal) =>
      (await skills.list(signal)).map((skill) => ({ ...skill, location: `skills/${skill.name}/SKILL.md` })),
    find: async (name, signal) => placed(await skills.find(name, signal)),
    load: async (name, signal) => placed(await skills.load(name, signal)),
  };
}
