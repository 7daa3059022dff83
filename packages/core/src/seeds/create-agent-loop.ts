/** `createAgentLoop`: an agent with the default tools and services under the seeds' names, from a provider and a workspace. */
import { agentLoop, type AgentLoop } from "./agent-loop.ts";
import { outboundQueue, type OutboundQueue } from "./outbound-queue.ts";
import { messageParts } from "../context/media.ts";
import type { Agent } from "../contract/agent.ts";
import type { AgentOptions, AgentSettings } from "../contract/agent-options.ts";
import type { Ids } from "../contract/base.ts";
import type { ModelRef } from "../contract/message.ts";
import type { Provider } from "../contract/provider.ts";
import { DEFAULT_SETTINGS } from "../loop/settings.ts";
import { createAgent } from "../create-agent.ts";
import { openFileStore } from "../file-store.ts";
import { nearest } from "../lib/nearest.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import type { LoopServices } from "../loop-services.ts";
import { systemClock } from "../machine/system/clock.ts";
import { defaultDirectory, pathBelow, readBytes } from "../machine/system/environment.ts";
import { systemIds } from "../machine/system/ids.ts";
import { silentLog } from "../machine/system/log.ts";

/**
 * A seed parameter is a setting under its own name; a full `settings` object may be given beside them. Every service that
 * is left out is made; `tools` given are all the tools there are.
 */
export interface AgentLoopOptions
  extends
    Omit<AgentOptions, "directory" | "model" | "settings">,
    LoopServices,
    Partial<Pick<AgentSettings, SeedSetting>> {
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

/** @throws RuntimeError `config.invalid` for an option that is not known, `state.inside-workspace`, `tool.duplicate`. */
export async function createAgentLoop(options: AgentLoopOptions): Promise<AgentLoop> {
  refuseUnknown(options);
  const { workspace, provider } = options;
  const directory = options.directory ?? defaultDirectory();
  const ids = options.ids ?? systemIds();
  const outbound = outboundQueue();
  const settings: Partial<AgentSettings> = { ...options.settings, ...given(options) };
  const clock = options.clock ?? systemClock();
  const log = options.log ?? silentLog;
  const store = options.store ?? openFileStore(directory, { clock, log });
  const blobs = options.blobs ?? store.blobs;
  // Loaded here: who composes an agent of their own needs none of it.
  const { makeServices } = await import("../loop-services.ts");
  const { [Symbol.dispose]: release, ...services } = makeServices({
    ...options,
    directory,
    store,
    blobs,
    clock,
    log,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    redact: options.redact ?? ((text) => text),
    agent: () => agent, // asked in a turn: the agent below exists by then
  });
  const agent = createAgent({
    ...options,
    ...services,
    directory,
    ids,
    store,
    blobs,
    clock,
    model: modelOf(provider, options.model),
    otherChannels: options.otherChannels ?? outbound.channel,
    settings,
  });
  const loop = loopOver({ agent, outbound, ids, workspace });
  return {
    ...loop,
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      release();
    },
  };
}

export interface LoopOverOptions {
  /** Its `otherChannels` is the channel of `outbound`. */
  readonly agent: Agent;
  readonly outbound: OutboundQueue;
  readonly ids: Ids;
  /** Where relative paths of media begin. */
  readonly workspace: string;
}

/** The seeds' names over an agent that was composed elsewhere. */
export function loopOver({ agent, outbound, ids, workspace }: LoopOverOptions): AgentLoop {
  return agentLoop({
    agent,
    outbound,
    ids,
    parts: (text, media) =>
      messageParts(
        text,
        media.map((path) => ({ path })),
        {
          blobs: agent.blobs,
          order: agent.settings.mediaOrder,
          readBytes: (path, maxBytes) => readBytes(pathBelow(workspace, path), maxBytes),
        },
      ),
  });
}

/** What may be given; the compiler keeps it whole. */
const KNOWN: Readonly<Record<keyof AgentLoopOptions, true>> = {
  provider: true,
  workspace: true,
  directory: true,
  model: true,
  settings: true,
  tools: true,
  toolsReady: true,
  voice: true,
  flood: true,
  context: true,
  policy: true,
  hooks: true,
  channels: true,
  memory: true,
  recall: true,
  skills: true,
  cron: true,
  otherChannels: true,
  observers: true,
  sessions: true,
  store: true,
  blobs: true,
  clock: true,
  ids: true,
  log: true,
  redact: true,
  secrets: true,
  resolveModel: true,
  providerFor: true,
  contextWindowFor: true,
  priceFor: true,
  isFree: true,
  subagents: true,
  people: true,
  skillNames: true,
  hasPersona: true,
  stopFlag: true,
  jobLines: true,
  labelledFiles: true,
  serverReviews: true,
  savedRules: true,
  quarantine: true,
  restart: true,
  mayApprove: true,
  whoami: true,
  link: true,
  isContact: true,
  sessionOf: true,
  maxIterations: true,
  maxToolCalls: true,
  maxRetries: true,
  retryDelayMs: true,
  temperature: true,
  maxTokens: true,
  memoryWindow: true,
  contextWindow: true,
};

/** A key that would do nothing is told to who gave it. */
function refuseUnknown(options: AgentLoopOptions): void {
  const known = [...Object.keys(KNOWN), ...Object.keys(DEFAULT_SETTINGS).map((name) => `settings.${name}`)];
  const named = [...Object.keys(options), ...Object.keys(options.settings ?? {}).map((name) => `settings.${name}`)];
  const unknown = named.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const close = nearest(unknown, known);
  throw new RuntimeError(
    "config.invalid",
    unknown === "config"
      ? "createAgentLoop of @margay/core has no `config`: it needs the whole program. Use createAgentLoop or openAgent of the package margay."
      : `createAgentLoop has no option ${unknown}.${close === undefined ? "" : ` Did you mean ${close}?`} Leave it out, or name one that exists.`,
  );
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
