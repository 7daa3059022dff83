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

/** What a person beside the owner has of their own. */
export interface PersonsParts {
  readonly workspace: string;
  /** As margay calls them. */
  readonly name: () => string | undefined;
  /** Those of the house, as they are called there. */
  readonly skills: NonNullable<Given["skills"]>;
  readonly tools: ToolRegistry;
  readonly childTools: ToolRegistry;
}

interface Prompts {
  readonly main: ContextBuilder;
  readonly children: ContextBuilder;
}

export interface Contexts extends Prompts {
  readonly guests: ContextBuilder;
  /** Their own files and memory; the house's manners and skills. */
  readonly person: (parts: PersonsParts) => Prompts;
  /** Its memory, and nothing of the house. */
  readonly group: (parts: Pick<PersonsParts, "workspace" | "tools">) => ContextBuilder;
}

export interface ContextsOptions extends Given {
  readonly loaded: Loaded;
  readonly tools: ToolRegistry;
  readonly childTools: ToolRegistry;
  readonly guestTools: ToolRegistry;
}

export function createContexts({ loaded, tools, childTools, guestTools, ...given }: ContextsOptions): Contexts {
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
  return {
    main: createContext({ ...parts, tools: () => tools.list() }),
    children: createContext({ ...parts, tools: () => childTools.list() }),
    guests: createGuestContext({ ...parts, tools: () => guestTools.list() }),
    group: (own) =>
      createGroupContext({
        ...parts,
        workspace: own.workspace,
        readFile: readTextFile(own.workspace),
        tools: () => own.tools.list(),
      }),
    person: (own) => {
      const { waitingServers: _owners, ...shared } = parts;
      const readOwn = readTextFile(own.workspace);
      const theirs = {
        ...shared,
        workspace: own.workspace,
        skills: own.skills,
        readFile: (path: string, signal: AbortSignal) =>
          (HOUSE_FILES.includes(path) ? parts.readFile : readOwn)(path, signal),
        persona: personaFor(given.persona, own.name),
      };
      return {
        main: createContext({ ...theirs, tools: () => own.tools.list() }),
        children: createContext({ ...theirs, tools: () => own.childTools.list() }),
      };
    },
  };
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
