/** The tools of the configuration: files, commands and the web. */
import { join } from "node:path";
import type { Agent, Clock, Logger, Memory, PolicyOptions, Tool } from "@margay/core";
import type { BlobStore, JudgeContext, Recall } from "@margay/core/internal";
import {
  execTool,
  fileTools,
  messageTool,
  openUndo,
  recallTool,
  rememberTool,
  spawnTool,
  useSkillTool,
  webFetchTool,
  webSearchTool,
} from "@margay/core/builtin";
import {
  askPersonTool,
  classifyCommand,
  classifyPath,
  compileLists,
  createSafeFetch,
  extractTool,
  type CommandLabels,
  type FileLabels,
  safeFiles,
  searchHosts,
  type ExecEgress,
  type Sandbox,
  type Skills,
  type Undo,
  type UnknownRepositories,
} from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";
import { bundledSkills } from "../features/skills/settings.ts";
import { searchKeys } from "../models/secrets.ts";

type FileToolOptions = Parameters<typeof fileTools>[0];

export interface ToolsOptions {
  readonly loaded: Loaded;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly skills: Skills;
  readonly memory: Memory;
  readonly recall: Recall;
  /** Whether a conversation may see what was said in others. */
  readonly readsAll: NonNullable<Parameters<typeof recallTool>[1]>;
  readonly labels: FileLabels;
  readonly unknown: UnknownRepositories;
  /** Before a file tool writes. Must not throw. */
  readonly beforeWrite?: FileToolOptions["beforeWrite"];
  /** Absent: there is no folder that others use too. */
  readonly shared?: NonNullable<FileToolOptions["shared"]>;
  /** That a subagent may be started as. Absent: none. */
  readonly agents?: () => readonly string[];
  /** Absent: there is no `exec`. */
  readonly commands?: CommandParts;
}

/** What commands run with. */
export interface CommandParts {
  readonly labels: CommandLabels;
  readonly sandbox: Sandbox;
  /** Takes secrets out of what a command prints. */
  readonly redact: (text: string) => string;
  readonly undo: Undo;
  /** To the hosts of `tools.exec.network`, and to those a person allows. */
  readonly egress: ExecEgress;
  /** The process before this one ran since the machine was started. */
  readonly sameBoot: boolean;
}

/** Tools that a turn of any kind may use. */
export function workTools(options: ToolsOptions): readonly Tool[] {
  const { loaded, env, blobs, clock, skills, recall, readsAll, labels, commands, beforeWrite, shared } = options;
  const { config, places, workspace } = loaded;
  const { exec, webSearch, webFetch, restrictToWorkspace: restrict, maxResultChars } = config.tools;
  const protect = [places.home];
  const search = {
    engine: webSearch.engine,
    count: webSearch.count,
    ...searchKeys(loaded, env),
    ...(webSearch.baseUrl !== undefined && { baseUrl: webSearch.baseUrl }),
  };
  return [
    ...fileTools({
      workspace,
      restrict,
      protect,
      blobs,
      maxResultChars,
      readable: [{ root: bundledSkills(), as: "skills" }],
      isUntrusted: skills.isUntrusted,
      labels,
      unknown: options.unknown,
      ...(beforeWrite !== undefined && { beforeWrite }),
      ...(shared !== undefined && { shared }),
    }),
    useSkillTool(skills),
    recallTool(recall, readsAll),
    ...(exec.enabled && commands !== undefined ? [commandTool(loaded, env, commands)] : []),
    webSearchTool({ ...search, fetch: createSafeFetch({ clock, allowHosts: searchHosts(webSearch.baseUrl) }) }),
    webFetchTool({
      fetch: createSafeFetch({ clock, allowHosts: webFetch.allowHosts }),
      blobs,
      maxChars: webFetch.maxChars,
    }),
  ];
}

function commandTool(
  { config: { agent, tools }, places }: Loaded,
  environment: ToolsOptions["env"],
  { sandbox, egress, ...parts }: CommandParts,
): Tool {
  const { env, pathAppend, timeoutSeconds, maxOutputChars, denyPatterns, allowPatterns, denyAction } = tools.exec;
  return execTool({
    directory: join(places.home, "exec"),
    environment,
    env,
    pathAppend,
    timeoutSeconds,
    maxOutputChars,
    denyPatterns,
    allowPatterns,
    denyAction,
    restrict: tools.restrictToWorkspace,
    together: agent.parallelTools,
    ...parts,
    ...(tools.exec.sandbox !== "none" && { sandbox }),
    ...(tools.exec.sandbox === "required" && { egress }), // srt has no way to it
  });
}

/** Tools of a conversation, which a subagent does not have. Called in a turn, when the agent exists. */
export function conversationTools(
  { loaded: { config, places, workspace }, blobs, memory, agents, labels }: ToolsOptions,
  agent: () => Pick<Agent, "queue" | "spawn" | "askPerson">,
): readonly Tool[] {
  const { restrictToWorkspace: restrict } = config.tools;
  const files = safeFiles({ root: workspace, restrict, protect: [places.home] });
  return [
    rememberTool(memory),
    messageTool({ send: (message) => agent().queue(message), blobs, files, labels }),
    spawnTool((request) => agent().spawn(request), agents),
    askPersonTool((request) => agent().askPerson(request)),
  ];
}

/** Only where results are kept aside: each tool is in every prompt. */
export function extractTools({ config }: Loaded, agent: () => Pick<Agent, "extract">): readonly Tool[] {
  return config.policy.strictUnattended ? [extractTool((request) => agent().extract(request))] : [];
}

/** Copies of what turns overwrite in the workspace, in the state directory. Opens nothing before it is needed. */
export function undoOf(
  { config, places, workspace }: Loaded,
  services: { readonly clock: Clock; readonly log: Logger; readonly labels: CommandLabels },
): Undo {
  const { maxMegabytes, maxFileMegabytes, keepTurns, keepDays, exclude } = config.tools.undo;
  return openUndo({
    directory: join(places.home, "undo"),
    workspace,
    protect: [places.home],
    maxBytes: maxMegabytes * 1024 * 1024,
    maxFileBytes: maxFileMegabytes * 1024 * 1024,
    keepTurns,
    keepDays,
    exclude,
    ...services,
  });
}

/** What the policy has to know about the tools. */
export function toolJudgement(
  { config, places }: Loaded,
  workspaceOf: (state: JudgeContext["state"]) => string,
): Pick<PolicyOptions, "sandboxed" | "classifyCommand" | "classifyPath" | "denyAction"> {
  const { denyPatterns, allowPatterns, denyAction } = config.tools.exec;
  const lists = compileLists(denyPatterns, allowPatterns);
  const state = [places.home];
  return {
    // Confined or refused: a sandbox that is required and absent never becomes a command without one.
    sandboxed: () => config.tools.exec.sandbox !== "none",
    denyAction,
    classifyCommand: (command) => classifyCommand(command, lists),
    classifyPath: (path, of) => classifyPath(workspaceOf(of), path, state),
  };
}
