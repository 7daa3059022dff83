/** Rooms: what a conversation gets that others read than the owner. One per person, made at first use. */
import { type Agent, createRegistry } from "@margay/core";
import {
  makeDirectory,
  openFileLabels,
  openUnknownRepositories,
  type PeopleOptions,
  type PersonId,
  type Room,
} from "@margay/core/internal";
import { isPersonId } from "../config/people-faults.ts";
import type { Loaded } from "../config/load.ts";
import { roomStateOf, spaceOf } from "../host/spaces.ts";
import type { Contexts } from "./contexts.ts";
import type { Engines } from "./engines.ts";
import type { Ground } from "./ground.ts";
import { openMemories } from "./memories.ts";
import { conversationTools, type ToolsOptions, workTools } from "./tools.ts";

/** Of persons; the least recently used gives way, and is made again when it is needed. */
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
  const rooms = new Map<PersonId, { readonly room: Room; readonly closing: AsyncDisposableStack }>();
  stack.defer(async () => {
    await Promise.all([...rooms.values()].map(({ closing }) => closing.disposeAsync()));
  });
  return (audience) => {
    if (!isPersonId(audience)) return guests; // also what only a journal of somebody else calls so: it names a folder
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

/** The same parts as the owner's, over a folder and a state of their own; no commands and no servers. */
function openRoom(
  { options, clock, log, redactor, current }: Ground,
  { conversations, skills, schedule }: Engines,
  { contexts, agent }: Given,
  person: PersonId,
): { readonly room: Room; readonly closing: AsyncDisposableStack } {
  const closing = new AsyncDisposableStack();
  const { loaded, env } = options;
  const { places, config } = loaded;
  const workspace = spaceOf(places, person);
  const state = roomStateOf(places, person);
  for (const directory of [workspace, state]) makeDirectory(directory);
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
        list: async () => (await conversations.sessions.list()).filter(({ persons = [] }) => persons.includes(person)),
      },
      reads: (audience) => audience === person,
      commits: conversations.journals.read,
      log,
    },
    closing,
  );
  // Without parts of commands there are none.
  const toolOptions: ToolsOptions = {
    loaded: own,
    env,
    blobs: conversations.blobs,
    clock,
    skills,
    memory,
    recall,
    labels,
    unknown,
    readsAll: () => true, // the index holds what is theirs, and nothing else
  };
  const work = workTools(toolOptions);
  const registry = createRegistry([...work, ...conversationTools(toolOptions, agent), ...schedule.toolsOf(person)]);
  const childTools = createRegistry(work);
  const prompts = contexts.person({
    workspace,
    name: () => current.loaded.config.people[person]?.name,
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
