/** What a conversation works with, by who reads it: everything of their room, and of no other. */
import { callFilesOf } from "./builtin/exec/scripts.ts";
import { createLongResults } from "./builtin/files/long-results.ts";
import type { AgentServices } from "./agent-services.ts";
import type { Audience } from "./contract/people.ts";
import type { PeopleOptions } from "./contract/room.ts";
import type { SessionState } from "./contract/session.ts";
import type { LoopDeps } from "./loop/deps.ts";
import { safeFiles } from "./machine/files/safe-files.ts";
import { MAIN } from "./lib/audience.ts";

export interface CurrentDeps {
  /** Of the owner. */
  readonly deps: () => LoopDeps;
  /** Of a conversation. */
  readonly depsOf: (state: SessionState) => LoopDeps;
}

export function roomDeps(deps: CurrentDeps["deps"], people: PeopleOptions, filesOf: FilesOf): CurrentDeps["depsOf"] {
  return (state) => {
    const { audience, parent } = state;
    // A turn ends with what it began with, also after a restart.
    const bound = state.turn === undefined ? people.agents?.of(state) : state.bound;
    const isMain = bound === undefined || bound.agent === MAIN;
    if (audience === undefined && isMain) return bound === undefined ? deps() : { ...deps(), agent: bound };
    const { toolsReady: _owners, ...rest } = deps();
    const room = people.room(audience ?? OWNER, isMain ? undefined : bound.agent);
    const { workspace, memory, children, toolsReady } = room;
    const own = parent === undefined || children === undefined ? room : children;
    const files = workspace === undefined ? NO_FILES : { workspace, ...filesOf(workspace) };
    return {
      ...rest,
      ...(toolsReady !== undefined && { toolsReady }),
      ...(bound !== undefined && { agent: bound }),
      settings: { ...rest.settings, ...people.settingsOf?.(audience ?? OWNER) },
      model: room.model ?? rest.model,
      tools: own.tools,
      context: own.context,
      memory,
      behind: memory !== undefined && rest.settings.memoryTiming === "background",
      workspace: files.workspace,
      callFiles: files.callFiles,
      bounds: { ...rest.bounds, store: room.isShared === true ? NO_FILES.store : files.store },
    };
  };
}

/** As rooms call whose the home is. */
const OWNER: Audience = "owner";

/** Where nothing may be kept: no path is inside of it. */
const NO_FILES: Files & { readonly workspace: string } = {
  workspace: "",
  store: () => Promise.resolve(undefined),
  callFiles: () => ({ workspace: "" }),
};

export type FilesOf = (workspace: string) => Files;
type Files = Pick<LoopDeps, "callFiles"> & Pick<LoopDeps["bounds"], "store">;

/** What a turn keeps in and reads from the folder that it works in. */
export function filesPerWorkspace({ clock, log }: Pick<AgentServices, "clock" | "log">): FilesOf {
  const known = new Map<string, Files>();
  return (workspace) => {
    const found = known.get(workspace);
    if (found !== undefined) return found;
    const { store } = createLongResults(safeFiles({ root: workspace, restrict: true, protect: [] }), clock, log);
    const files: Files = { store, callFiles: callFilesOf.bind(undefined, workspace) };
    known.set(workspace, files);
    return files;
  };
}
