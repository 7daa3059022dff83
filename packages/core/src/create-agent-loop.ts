/** `createAgentLoop`: an agent with the seeds' default tools under the seeds' names, from a provider and a workspace. */
import { agentLoop, type AgentLoop } from "./agent/agent-loop.ts";
import { outboundQueue } from "./agent/outbound-queue.ts";
import { messageParts } from "./context/media.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent.ts";
import type { ModelRef } from "./contract/message.ts";
import type { Provider } from "./contract/provider.ts";
import type { BlobStore } from "./contract/services.ts";
import type { Tool } from "./contract/tool.ts";
import { createAgent } from "./create-agent.ts";
import { openBlobs } from "./journal/blobs.ts";
import { defaultDirectory, pathBelow, processEnvironment, readBytes } from "./platform/environment.ts";
import { systemIds } from "./platform/ids.ts";

/** A seed parameter is a setting under its own name; a full `settings` object may be given beside them. */
export interface AgentLoopOptions
  extends Omit<AgentOptions, "directory" | "model" | "settings">, Partial<Pick<AgentSettings, SeedSetting>> {
  readonly provider: Provider;
  readonly workspace: string;
  /** Default: `MARGAY_HOME`, else `~/.margay`. */
  readonly directory?: string;
  /** Default: the provider's default model. */
  readonly model?: ModelRef | string;
  readonly settings?: Partial<AgentSettings>;
}
type SeedSetting =
  | "maxIterations"
  | "maxToolCalls"
  | "maxRetries"
  | "retryDelayMs"
  | "temperature"
  | "maxTokens"
  | "memoryWindow"
  | "contextWindow";
const SEED_SETTINGS: readonly SeedSetting[] = [
  "maxIterations",
  "maxToolCalls",
  "maxRetries",
  "retryDelayMs",
  "temperature",
  "maxTokens",
  "memoryWindow",
  "contextWindow",
];

/** @throws RuntimeError `state.inside-workspace`, `tool.duplicate`. */
export async function createAgentLoop(options: AgentLoopOptions): Promise<AgentLoop> {
  const { workspace, provider } = options;
  const directory = options.directory ?? defaultDirectory();
  const ids = options.ids ?? systemIds();
  const blobs = options.blobs ?? openBlobs(`${directory}/blobs`);
  const outbound = outboundQueue();
  const settings: Partial<AgentSettings> = { ...options.settings, ...given(options) };
  const agent = createAgent({
    ...options,
    directory,
    ids,
    blobs,
    model: modelOf(provider, options.model),
    tools: options.tools ?? (await defaultTools(workspace, directory, blobs)),
    otherChannels: options.otherChannels ?? outbound.channel,
    settings,
  });
  return agentLoop({
    agent,
    outbound,
    ids,
    parts: (text, media) =>
      messageParts(
        text,
        media.map((path) => ({ path })),
        {
          blobs,
          order: agent.settings.mediaOrder,
          readBytes: (path, maxBytes) => readBytes(pathBelow(workspace, path), maxBytes),
        },
      ),
  });
}

/** Loaded when nobody brings tools. */
async function defaultTools(workspace: string, directory: string, blobs: BlobStore): Promise<readonly Tool[]> {
  const [{ fileTools }, { execTool }] = await Promise.all([
    import("./builtin/file-tools.ts"),
    import("./builtin/exec.ts"),
  ]);
  return [
    ...fileTools({ workspace, blobs, protect: [directory] }),
    execTool({ directory: `${directory}/exec`, environment: processEnvironment() }),
  ];
}

function given(options: AgentLoopOptions): Partial<AgentSettings> {
  return Object.fromEntries(
    SEED_SETTINGS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

function modelOf(provider: Provider, model: ModelRef | string | undefined): ModelRef {
  if (typeof model === "object") return model;
  const named = model ?? provider.defaultModel ?? "default";
  return {
    provider: provider.id,
    model: named.startsWith(`${provider.id}/`) ? named.slice(provider.id.length + 1) : named,
  };
}
