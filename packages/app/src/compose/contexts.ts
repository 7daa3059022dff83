/** The prompts of the agent, of its children and of conversations that others read: one set of parts, other tools and files. */
import { type ContextBuilder, createContext, type ToolRegistry } from "@margay/core";
import {
  type ContextOptions,
  createGroupContext,
  createGuestContext,
  environment,
  project,
  readTextFile,
  sha256,
  systemTimeZone,
} from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";
import { HOUSE_FILES } from "../host/spaces.ts";

type Given = Pick<ContextOptions, "language" | "clock" | "persona" | "skills" | "waitingServers" | "redact">;

/** What a prompt is made for. */
export interface PromptParts {
  readonly tools: ToolRegistry;
  /** Of an agent; what the conversation chose itself goes before it. */
  readonly persona?: string | undefined;
}

/** Where files are kept. */
export interface PlacedParts extends PromptParts {
  /** Where relative paths begin. */
  readonly workspace: string;
  /** The household's folder appears there. */
  readonly hasShared: boolean;
  readonly skills: NonNullable<Given["skills"]>;
}

/** What a person beside the owner has of their own. */
export interface PersonsParts extends PlacedParts {
  /** Of their USER.md and memory. */
  readonly space: string;
  /** As margay calls them. */
  readonly name: () => string | undefined;
  readonly timeZone: string;
}

export interface Contexts {
  readonly main: ContextBuilder;
  readonly children: ContextBuilder;
  /** Of the owner, with less than all of it. */
  readonly owner: (parts: PlacedParts) => ContextBuilder;
  readonly guests: (parts: PromptParts) => ContextBuilder;
  /** Their own files and memory; the house's manners and skills. */
  readonly person: (parts: PersonsParts) => ContextBuilder;
  /** Its memory, and nothing of the house. @param space Of the memory. */
  readonly group: (parts: Omit<PersonsParts, "skills" | "name" | "hasShared" | "timeZone">) => ContextBuilder;
}

export interface ContextsOptions extends Given {
  readonly loaded: Loaded;
  readonly tools: ToolRegistry;
  readonly childTools: ToolRegistry;
  /** What the prompt of who has these says of the household's folder. */
  readonly shared: (tools: ToolRegistry) => string;
}

export function createContexts({ loaded, tools, childTools, shared, ...given }: ContextsOptions): Contexts {
  const { config, workspace, timeZone } = loaded;
  const parts = {
    ...given,
    workspace,
    timeZone,
    localZone: systemTimeZone(),
    memory: { inject: config.memory.inject, maxChars: config.memory.maxChars },
    environment: environment(),
    readFile: readTextFile(workspace),
    hash: sha256,
    project,
  };
  const offered = (some: ToolRegistry, hasShared: boolean): Pick<ContextOptions, "tools" | "sharedFolder"> => ({
    tools: () => some.list(),
    ...(hasShared && { sharedFolder: () => shared(some) }),
  });
  return {
    main: createContext({ ...parts, ...offered(tools, true) }),
    children: createContext({ ...parts, ...offered(childTools, true) }),
    owner: ({ persona, tools: some, hasShared, ...own }) =>
      inManner(persona, createContext({ ...parts, ...own, ...offered(some, hasShared) })),
    guests: ({ persona, tools: some }) => inManner(persona, createGuestContext({ ...parts, tools: () => some.list() })),
    group: ({ persona, tools: some, workspace: own, space }) =>
      inManner(
        persona,
        createGroupContext({ ...parts, workspace: own, readFile: readTextFile(space), tools: () => some.list() }),
      ),
    person: ({ persona, tools: some, workspace: own, space, skills, name, hasShared, timeZone: zone }) => {
      const { waitingServers: _owners, ...house } = parts;
      const readOwn = readTextFile(space);
      const theirs = {
        ...house,
        workspace: own,
        timeZone: zone,
        skills,
        readFile: (path: string, signal: AbortSignal) =>
          (HOUSE_FILES.includes(path) ? parts.readFile : readOwn)(path, signal),
        persona: personaFor(given.persona, name),
      };
      return inManner(persona, createContext({ ...theirs, ...offered(some, hasShared) }));
    },
  };
}

function inManner(persona: string | undefined, context: ContextBuilder): ContextBuilder {
  if (persona === undefined) return context;
  return { ...context, freeze: (state, signal) => context.freeze({ persona, ...state }, signal) };
}

/** The agent is the same; whom it serves is somebody else. */
function personaFor(persona: Given["persona"], userName: () => string | undefined): Given["persona"] {
  return {
    get name() {
      return persona.name;
    },
    get preset() {
      return persona.preset ?? null;
    },
    get custom() {
      return persona.custom ?? null;
    },
    get own() {
      return persona.own ?? [];
    },
    get userName() {
      return userName();
    },
  };
}
