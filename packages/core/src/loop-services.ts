/** What `createAgentLoop` works with where nothing was given: memory, skills, search, subagents, and the tools of each. */
import { commandEnvironment } from "./builtin/exec/environment.ts";
import { cronTool } from "./schedule/cron-tool.ts";
import { execTool } from "./builtin/exec/exec.ts";
import { fileTools } from "./builtin/files/file-tools.ts";
import { messageTool } from "./builtin/message.ts";
import { recallTool } from "./memory/recall-tool.ts";
import { rememberTool } from "./memory/remember-tool.ts";
import { spawnTool } from "./subagents/spawn-tool.ts";
import { useSkillTool } from "./skills/use-skill-tool.ts";
import { webFetchTool } from "./builtin/web/web-fetch.ts";
import { webSearchTool } from "./builtin/web/web-search.ts";
import { createContext, type ContextOptions } from "./context/context.ts";
import { project } from "./context/project.ts";
import type { Agent } from "./contract/agent.ts";
import type { AgentOptions, AgentSettings, SubagentOptions } from "./contract/agent-options.ts";
import type { Clock, Logger } from "./contract/base.ts";
import type { Memory, Recall } from "./contract/memory.ts";
import type { CronService } from "./contract/schedule.ts";
import type { BlobStore, ContextBuilder } from "./contract/services.ts";
import type { SessionStore, Store } from "./contract/store.ts";
import type { Tool, ToolRegistry } from "./contract/tool.ts";
import { openMemory } from "./memory/memory.ts";
import { openRecall } from "./memory/recall.ts";
import { environment, processEnvironment, readTextFile } from "./machine/system/environment.ts";
import { sha256 } from "./machine/system/hash.ts";
import { createSafeFetch } from "./machine/http/safe-fetch.ts";
import { safeFiles } from "./machine/files/safe-files.ts";
import { openSessions } from "./session/sessions.ts";
import { openFileDocs } from "./machine/files/file-docs.ts";
import { openSkills, type Skills } from "./skills/skills.ts";
import { createRegistry } from "./tools/registry.ts";

/** Services that `createAgentLoop` takes besides those of an agent; left out, it makes them. */
export interface LoopServices {
  /** Searches memory and past conversations. With `sessions` of your own and without it there is no `recall`. */
  readonly recall?: Recall;
  readonly skills?: Skills;
  /** Without it there is no `cron`: somebody has to run the jobs. */
  readonly cron?: CronService;
}

export interface LoopServicesInput
  extends LoopServices, Pick<AgentOptions, "tools" | "context" | "memory" | "subagents" | "sessions" | "observers"> {
  readonly workspace: string;
  readonly directory: string;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Pick<AgentSettings, "timeZone" | "language" | "memoryMaxChars" | "parallelTools">;
  readonly redact: (text: string) => string;
  /** Called in a turn, when the agent exists. */
  readonly agent: () => Pick<Agent, "queue" | "spawn">;
}

export interface MadeServices extends Disposable {
  readonly tools: ToolRegistry;
  readonly context: ContextBuilder;
  readonly memory: Memory;
  readonly sessions: SessionStore;
  readonly subagents: SubagentOptions;
  readonly skillNames: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** A child has none of them. */
const OF_CONVERSATIONS: ReadonlySet<string> = new Set(["message", "spawn", "cron", "remember"]);
/** As the program's configuration has them: `subagents.*`. */
const CHILDREN = { maxIterations: () => 15, concurrency: () => 4, timeoutMs: () => 1_200_000 };

export function makeServices(input: LoopServicesInput): MadeServices {
  const { workspace, directory, clock, log, settings, redact } = input;
  const stack = new DisposableStack();
  const { timeZone, language, memoryMaxChars: maxChars } = settings;
  const memory = input.memory ?? openMemory({ workspace, versions: `${directory}/memory`, timeZone, redact });
  const { journals } = input.store;
  const sessions = input.sessions ?? openSessions({ journals, clock, observers: input.observers ?? [] });
  const recall =
    input.recall ??
    (input.sessions === undefined
      ? stack.use(
          openRecall({
            workspace,
            directory: `${directory}/index`,
            sessions: async () => (await sessions.list()).filter(({ fault }) => fault === undefined),
            commits: journals.read,
            damaged: (message) => log.warn("recall.rebuilt", { message }),
          }),
        )
      : undefined);
  const { os } = environment();
  const skills =
    input.skills ??
    openSkills({
      workspace,
      approvals: openFileDocs(directory),
      cache: `${directory}/skills/parsed.json`,
      disabled: () => [],
      facts: {
        environment: commandEnvironment(processEnvironment(), [], ""),
        features: [],
        os,
        tools: () => tools.list(), // asked when a prompt is made: the tools below exist by then
      },
      log,
    });
  const tools = toolsOf(input, { memory, recall, skills });
  const childTools = createRegistry(tools.list().filter(({ name }) => !OF_CONVERSATIONS.has(name)));
  const contextOf = (registry: ToolRegistry): ContextBuilder => {
    const options: ContextOptions = {
      workspace,
      tools: () => registry.list(),
      clock,
      timeZone,
      language,
      persona: { name: "margay" },
      environment: environment(),
      readFile: readTextFile(workspace),
      skills,
      memory: { inject: true, maxChars },
      hash: sha256,
      project,
      redact,
    };
    return createContext(options);
  };
  return {
    tools,
    memory,
    sessions,
    context: input.context ?? contextOf(tools),
    subagents: input.subagents ?? { tools: childTools, context: contextOf(childTools), ...CHILDREN },
    skillNames: skills.names,
    [Symbol.dispose]: () => stack.dispose(),
  };
}

interface ToolServices {
  readonly memory: Memory;
  readonly recall: Recall | undefined;
  readonly skills: Skills;
}

/** Exactly those that were given, or one set for each service there is. */
function toolsOf(input: LoopServicesInput, { memory, recall, skills }: ToolServices): ToolRegistry {
  if (input.tools !== undefined) return "list" in input.tools ? input.tools : createRegistry(input.tools);
  const { workspace, directory, blobs, clock, settings, cron, agent, redact } = input;
  const env = processEnvironment();
  const fetch = createSafeFetch({ clock, allowHosts: [] });
  const [braveKey, tavilyKey] = [env["BRAVE_API_KEY"], env["TAVILY_API_KEY"]];
  const protect = [directory];
  const own: readonly Tool[] = [
    ...fileTools({ workspace, blobs, protect, isUntrusted: skills.isUntrusted }),
    execTool({ directory: `${directory}/exec`, environment: env, redact, together: settings.parallelTools }),
    webSearchTool({
      fetch,
      ...(braveKey !== undefined && { braveKey }),
      ...(tavilyKey !== undefined && { tavilyKey }),
    }),
    webFetchTool({ fetch, blobs }),
    rememberTool(memory),
    useSkillTool(skills),
    messageTool({
      send: (message) => agent().queue(message),
      blobs,
      files: safeFiles({ root: workspace, restrict: true, protect }),
    }),
    spawnTool((request) => agent().spawn(request)),
    ...(recall === undefined ? [] : [recallTool(recall)]),
    ...(cron === undefined ? [] : [cronTool({ cron, timeZone: () => settings.timeZone })]),
  ];
  return createRegistry(own);
}
