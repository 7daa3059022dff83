/** What the loop works with, as it is configured at this moment: taken once per turn. */
import type { AgentServices } from "./agent-services.ts";
import { EXTRACT, keepAside } from "./extraction/extraction.ts";
import { compact } from "./memory/compaction.ts";
import { createBudget } from "./loop/spending/budget.ts";
import type { Consolidations, LoopDeps } from "./loop/deps.ts";
import { spendingSince } from "./loop/spending/spending.ts";
import { createFirstWords } from "./loop/waiting/first-words.ts";
import { createStopwatch } from "./loop/waiting/stopwatch.ts";
import { callFilesOf } from "./builtin/exec/scripts.ts";
import { createLongResults } from "./builtin/files/long-results.ts";
import { createPromptHash } from "./context/project.ts";
import { createTokenCounter } from "./context/tokens.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent-options.ts";
import type { ModelRef } from "./contract/message.ts";
import type { Provider } from "./contract/provider.ts";
import { sha256 } from "./machine/system/hash.ts";
import { random } from "./machine/system/ids.ts";
import { safeFiles } from "./machine/files/safe-files.ts";
import { costOf, modelInfo } from "./model/models.ts";

/** What `configure` changes. */
export interface Configured {
  readonly settings: AgentSettings;
  readonly provider: Provider;
  readonly model: ModelRef;
}

export function createCurrentDeps(
  options: AgentOptions,
  { clock, ids, log, redact, secrets, tools, blobs, sessions, policy, context }: AgentServices,
  configured: () => Configured,
  consolidations: () => Consolidations,
  closing: AbortSignal,
): () => LoopDeps {
  const budget = createBudget({
    budgets: () => configured().settings.budgets,
    clock,
    timeZone: () => configured().settings.timeZone,
    spent: (since) => spendingSince(sessions, since),
    warn: ({ budget: { scope }, used }) => log.warn("budget.exceeded", { scope, used }),
  });
  const counter = createTokenCounter();
  const promptHash = createPromptHash(sha256);
  const stopwatch = createStopwatch(clock);
  const firstWords = createFirstWords(clock, closing);
  const { store } = createLongResults(safeFiles({ root: options.workspace, restrict: true, protect: [] }), clock, log);
  /** Connections, resting keys and converted histories live in a provider: one for all its requests. */
  const others = new Map<string, Provider>();
  const otherProvider = (ref: ModelRef): Provider | undefined => {
    const known = others.get(ref.provider) ?? options.providerFor?.(ref);
    if (known !== undefined) others.set(ref.provider, known);
    return known;
  };
  return () => {
    const { settings, provider, model } = configured();
    return {
      provider: (ref) => (ref.provider === model.provider ? provider : (otherProvider(ref) ?? provider)),
      windowOf: (ref) =>
        ref.provider === model.provider && ref.model === model.model
          ? settings.contextWindow
          : (options.contextWindowFor?.(ref) ?? settings.contextWindow),
      costOf: (ref, usage) => costOf(usage, modelInfo(ref.provider, ref.model).price),
      model,
      settings,
      tools,
      ...(options.toolsReady !== undefined && { toolsReady: options.toolsReady }),
      context,
      policy,
      blobs,
      budget,
      memory: options.memory,
      behind: options.memory !== undefined && settings.memoryTiming === "background",
      consolidations: consolidations(),
      compact,
      extraction: { tool: EXTRACT, keepAside: (call, parts) => keepAside(call, parts, blobs) },
      stopped: () => options.stopFlag?.on === true,
      clock,
      stopwatch,
      firstWords,
      ids,
      log,
      redact,
      secrets,
      random,
      hash: sha256,
      callFiles: (tool, input) => callFilesOf(options.workspace, tool, input),
      promptHash,
      workspace: options.workspace,
      size: (state) => counter.request(state.prefix, state.messages, state.tokenFactor),
      bounds: { timeoutMs: settings.toolTimeoutMs, maxResultChars: settings.maxResultChars, store, redact },
    };
  };
}
