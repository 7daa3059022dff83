/** The prompts of the agent, of its children and of conversations that a guest reads: one set of parts, other tools. */
import { type ContextBuilder, createContext, type ToolRegistry } from "@margay/core";
import {
  type ContextOptions,
  createGuestContext,
  environment,
  project,
  readTextFile,
  sha256,
  systemTimeZone,
} from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";

type Given = Pick<ContextOptions, "language" | "clock" | "persona" | "skills" | "waitingServers" | "redact">;

export interface ContextsOptions extends Given {
  readonly loaded: Loaded;
  readonly tools: ToolRegistry;
  readonly childTools: ToolRegistry;
  readonly guestTools: ToolRegistry;
}

export function createContexts({ loaded, tools, childTools, guestTools, ...given }: ContextsOptions): {
  readonly main: ContextBuilder;
  readonly children: ContextBuilder;
  readonly guests: ContextBuilder;
} {
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
  };
}
