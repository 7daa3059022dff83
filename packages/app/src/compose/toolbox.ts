/** What the agent can do: its tools and those of its subagents, with what confines them and what takes their work back. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, type Agent, type Commit, type Logger, type Tool, type ToolRegistry } from "@margay/core";
import {
  type Audience,
  type Ids,
  type LabelledFiles,
  type Quarantine,
  type Notifications,
  type Redactor,
  type SessionId,
} from "@margay/core/internal";
import { recallTool } from "@margay/core/builtin";
import {
  createCommandLabels,
  openFileLabels,
  openUnknownRepositories,
  type Sandbox,
  type Undo,
  isListedRepository,
  type KeptAside,
} from "@margay/core/internal";
import { OWNER, type People } from "../host/people.ts";
import type { AppAudit } from "../host/audit-events.ts";
import { execEgress } from "./egress.ts";
import { lateMcp, type LateMcp } from "../features/mcp/late-mcp.ts";
import type { LatePlugins } from "../features/plugins/engine/late-plugins.ts";
import { quarantineOf, recordKept } from "../features/quarantine/service.ts";
import { sandboxOf, serverSandboxOf } from "../host/sandbox.ts";
import { personsRoomStates } from "../host/spaces.ts";
import { extractTools, conversationTools, undoOf, workTools, type ToolsOptions } from "./tools.ts";
import { openPluginTools } from "./plugins.ts";
import type { Shared } from "./shared.ts";
import { trustFiles } from "../features/labels/service.ts";
import { workspaceUndo, type WorkspaceUndo } from "../features/undo/service.ts";

export interface ToolboxOptions extends Pick<
  ToolsOptions,
  "loaded" | "env" | "blobs" | "clock" | "skills" | "memory" | "recall" | "agents"
> {
  readonly shared: Shared;
  readonly pluginSettings: Parameters<typeof openPluginTools>[0]["pluginSettings"];
  readonly ids: Ids;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly audit: AppAudit;
  readonly notifications: Notifications;
  readonly people: People;
  /** Nobody beside the owner has a room. */
  readonly isAlone: () => boolean;
  readonly scheduleTools: readonly Tool[];
  /** Whose conversations have the tools of an MCP server, as it is configured at the moment. */
  readonly isServerFor: (server: string, audience: Audience) => boolean;
  /** Whether there is any for them. */
  readonly serversFor: (audience: Audience) => boolean;
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly sameBoot: boolean;
  /** Called in a turn, when the agent exists. */
  readonly agent: () => Agent;
}

interface CommandFolder extends Pick<ToolsOptions, "loaded" | "labels" | "unknown"> {
  /** What margay keeps of it. */
  readonly state: string;
}

/** Commands, and who has to know what is written beside them. */
export interface OthersCommands extends Required<Pick<ToolsOptions, "commands" | "beforeWrite">> {
  readonly writingItself: Undo["writingItself"];
}

/** Of conversations, and of subagents. */
interface OwnersTools {
  readonly tools: ToolRegistry;
  readonly childTools: ToolRegistry;
}

export interface Toolbox {
  /** With those of MCP servers. */
  readonly tools: ToolRegistry;
  /** Of subagents. */
  readonly childTools: ToolRegistry;
  /** Of conversations in which guests read along. */
  readonly guestTools: ToolRegistry;
  /** Without those of MCP servers. */
  readonly ownTools: ToolRegistry;
  /** Those of the owner over another folder than the workspace: without commands. */
  readonly inFolder: (folder: Pick<ToolsOptions, "loaded" | "labels" | "unknown" | "skills">) => OwnersTools;
  /** What commands of a person beside the owner run with, over their folder. Undefined: nothing confines them, so there are none. */
  readonly commandsIn: (folder: CommandFolder) => OthersCommands | undefined;
  readonly sandbox: Sandbox;
  readonly undo: WorkspaceUndo;
  /** Of a session that goes whole: its copies, and what its commands left. */
  readonly forget: (id: SessionId) => Promise<void>;
  readonly labelledFiles: LabelledFiles;
  readonly quarantine: Quarantine;
  /** Before margay writes a file of the workspace outside of any tool. */
  readonly writingItself: Undo["writingItself"];
  readonly mcp: LateMcp;
  readonly plugins: LatePlugins;
  /** With those of the MCP servers that are for who reads there. */
  readonly withServers: (own: ToolRegistry, audience: Audience) => ToolRegistry;
  /** Waits for these servers, where there are any. */
  readonly serversReady: (audience: Audience, signal: AbortSignal) => Promise<void>;
}

/** What anybody may read. */
const WEB: ReadonlySet<string> = new Set(["web_search", "web_fetch"]);

/** @param stack Releases what was opened here. */
export async function createToolbox(options: ToolboxOptions, stack: AsyncDisposableStack): Promise<Toolbox> {
  const { loaded, env, blobs, clock, ids, log, redactor, audit, people, agent } = options;
  const labels = openFileLabels(loaded.places.home, clock);
  const { workspace, config } = loaded;
  const isOwn = (repository: string): boolean => isListedRepository(repository, config.policy.ownRepositories);
  const unknown = openUnknownRepositories({ workspace, labels, clock, isOwn });
  const { dependencies } = config.tools.exec;
  const commandLabels = createCommandLabels({ workspace, clock, labels, unknown, dependencies });
  const kept = (item: KeptAside): void => recordKept(audit, item);
  const sandbox = sandboxOf(loaded, env, kept);
  // Also where commands are not confined: the one that looks at what is written to the workspace.
  const servers = serverSandboxOf(loaded, env, sandbox, kept);
  const egress = execEgress(loaded, { clock, audit, env, secret: redactor.register });
  const copies = undoOf(loaded, { clock, log, labels: commandLabels });
  const toolOptions: ToolsOptions = {
    ...{ loaded, env, blobs, clock, labels, unknown },
    skills: options.skills,
    memory: options.memory,
    recall: options.recall,
    agents: options.agents ?? (() => []),
    shared: options.shared.of(OWNER),
    beforeWrite: (write, context) => {
      servers.writing(write.real);
      return copies.writing(write, context);
    },
    commands: {
      labels: commandLabels,
      sandbox,
      redact: redactor.redact,
      undo: copies,
      egress,
      sameBoot: options.sameBoot,
    },
    // What a guest writes is untrusted, and so is all that comes of it: a guest finds nobody else's conversations.
    readsAll: ({ origin: { channel, chat }, label }) =>
      label.integrity === "trusted" || people.isOperator(channel, chat),
  };
  const work = workTools(toolOptions);
  const extract = extractTools(loaded, agent);
  const ownTools = createRegistry([
    ...work,
    ...extract,
    ...conversationTools(toolOptions, agent),
    ...options.scheduleTools,
  ]);
  const mcp = stack.use(await openServers(options, servers));
  const plugins = stack.use(await openPluginTools({ ...options, labels }));
  const withServers: Toolbox["withServers"] = (own, audience) =>
    mcp.view(audience === OWNER ? plugins.with(own) : own, (server) => options.isServerFor(server, audience));
  const forGuests = [recallTool(options.recall, () => false), ...work.filter(({ name }) => WEB.has(name))];
  return {
    tools: withServers(amongPeople(ownTools, options), OWNER),
    childTools: withServers(createRegistry([...work, ...extract]), OWNER),
    guestTools: withServers(createRegistry(forGuests), "guest"),
    ownTools: amongPeople(ownTools, options),
    inFolder: (folder) => {
      const own = toolsIn({ ...toolOptions, ...folder }, extract, options);
      return {
        tools: withServers(amongPeople(own.tools, options), OWNER),
        childTools: withServers(own.childTools, OWNER),
      };
    },
    commandsIn: commandsOfOthers(options, sandbox),
    sandbox,
    undo: workspaceUndo({ undo: options.shared.undo(copies), readCommits: options.readCommits, audit, ids }),
    forget: (id) => forget(id, loaded.places.home, [copies, options.shared.copies()]),
    quarantine: quarantineOf(loaded.places.home, { audit, sandbox: servers, redact: redactor.redact }),
    labelledFiles: trustFiles(workspace, { labels, audit }),
    writingItself: (write) => {
      servers.writing(write.real);
      return copies.writingItself(write);
    },
    mcp,
    plugins,
    withServers,
    serversReady: async (audience, signal) => {
      if (options.serversFor(audience)) await mcp.ready(signal);
    },
  };
}

async function forget(id: SessionId, home: string, undos: readonly (Undo | undefined)[]): Promise<void> {
  for (const undo of undos) await undo?.forget(id);
  for (const state of [home, ...personsRoomStates({ home })])
    for (const below of ["exec", join("undo", "turns")])
      rmSync(join(state, below, id), { recursive: true, force: true });
}

/** With nothing of the owner's: neither name nor passwords of git, and no way into another folder. No copies are kept: whose a change is, is known. */
function commandsOfOthers(
  { loaded, clock, log, redactor, audit, env, sameBoot }: ToolboxOptions,
  sandbox: Sandbox,
): Toolbox["commandsIn"] {
  const { dependencies, sandbox: mode } = loaded.config.tools.exec;
  if (mode !== "required") return () => undefined;
  const egress = execEgress(loaded, { clock, audit, env, secret: redactor.register }, "others");
  return ({ loaded: own, state, labels, unknown }) => {
    const commandLabels = createCommandLabels({ workspace: own.workspace, clock, labels, unknown, dependencies });
    const { config, places } = own;
    const looks = undoOf(
      {
        ...own,
        places: { ...places, home: state },
        config: { ...config, tools: { ...config.tools, undo: { ...config.tools.undo, maxMegabytes: 0 } } },
      },
      { clock, log, labels: commandLabels },
    );
    return {
      commands: {
        labels: commandLabels,
        sandbox: { ...sandbox, wrap: (request) => sandbox.wrap({ ...request, anonymous: true }) },
        redact: redactor.redact,
        undo: looks,
        ...{ egress, sameBoot },
      },
      beforeWrite: (write, context) => {
        sandbox.writing(write.real);
        return looks.writing(write, context);
      },
      writingItself: (write) => {
        sandbox.writing(write.real);
        return looks.writingItself(write);
      },
    };
  };
}

/** Their code is loaded with the first one that is configured. */
function openServers(
  { loaded, env, blobs, clock, log, redactor, audit }: ToolboxOptions,
  sandbox: Sandbox,
): Promise<LateMcp> {
  return lateMcp(loaded, async (configured, changed) =>
    (await import("../features/mcp/service.ts")).mcpServers({
      loaded: configured,
      env,
      blobs,
      clock,
      log,
      secret: redactor.register,
      redact: redactor.redactKnown,
      sandbox,
      audit,
      changed,
    }),
  );
}

/** Where nobody else is there is nobody to ask: not a byte of it is in a prompt. */
function amongPeople({ list, get }: ToolRegistry, { isAlone }: Pick<ToolboxOptions, "isAlone">): ToolRegistry {
  return {
    list: () => (isAlone() ? list().filter(({ name }) => name !== ASK_PERSON) : list()),
    get: (name) => (name === ASK_PERSON && isAlone() ? undefined : get(name)),
  };
}

const ASK_PERSON = "ask_person";

/** Commands see the whole workspace: elsewhere there are none, and nothing to take back. */
function toolsIn(
  { commands: _commands, beforeWrite: _copies, shared: _households, ...elsewhere }: ToolsOptions,
  extract: readonly Tool[],
  { agent, scheduleTools }: Pick<ToolboxOptions, "agent" | "scheduleTools">,
): OwnersTools {
  const files = workTools(elsewhere);
  const talk = conversationTools(elsewhere, agent);
  return {
    tools: createRegistry([...files, ...extract, ...talk, ...scheduleTools]),
    childTools: createRegistry([...files, ...extract]),
  };
}
