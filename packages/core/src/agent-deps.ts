/** What the loop works with, as it is configured at this moment: taken once per turn. */
import { filesPerWorkspace, roomDeps, type CurrentDeps } from "./agent-rooms.ts";
import type { AgentServices } from "./agent-services.ts";
import { createButtons } from "./control/questions/buttons.ts";
import { channelSet } from "./channels/listen.ts";
import type { Fetching, FetchingOptions } from "./channels/media/fetching.ts";
import type { HearOptions } from "./channels/voice/hear.ts";
import { EXTRACT, keepAside } from "./extraction/extraction.ts";
import { compact } from "./memory/compaction.ts";
import { withinBudget } from "./loop/spending/count-cost.ts";
import { createBudget } from "./loop/spending/budget.ts";
import type { LoopDeps } from "./loop/deps.ts";
import { createFirstWords } from "./loop/waiting/first-words.ts";
import { createStopwatch } from "./loop/waiting/stopwatch.ts";
import { createPromptHash } from "./context/project.ts";
import { endOfTick } from "./machine/files/files.ts";
import { createTokenCounter } from "./context/tokens.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent-options.ts";
import type { ChannelSet, VoiceOptions } from "./contract/channel.ts";
import type { ModelRef } from "./contract/message.ts";
import type { Provider } from "./contract/provider.ts";
import { isTemporary } from "./lib/session-key.ts";
import { hasComing, unheardNote } from "./lib/text.ts";
import { sha256 } from "./machine/system/hash.ts";
import { random, randomToken } from "./machine/system/ids.ts";
import { costOf, modelInfo } from "./model/models.ts";

/** What `configure` changes. */
export interface Configured {
  readonly settings: AgentSettings;
  readonly provider: Provider;
  readonly model: ModelRef;
}

export function createCurrentDeps(
  options: AgentOptions,
  { clock, ids, log, redact, secrets, tools, blobs, ledger, policy, context }: AgentServices,
  configured: () => Configured,
  beside: () => Pick<LoopDeps, "consolidations" | "instead">,
  closing: AbortSignal,
): CurrentDeps {
  const budget = createBudget({
    budgets: () => configured().settings.budgets,
    clock,
    timeZone: () => configured().settings.timeZone,
    ledger,
    warn: ({ budget: { scope }, used }) => log.warn("budget.exceeded", { scope, used }),
  });
  const counter = createTokenCounter();
  const promptHash = createPromptHash(sha256);
  const stopwatch = createStopwatch(clock);
  const firstWords = createFirstWords(clock, closing);
  const filesOf = filesPerWorkspace({ clock, log });
  /** Connections, resting keys and converted histories live in a provider: one for all its requests. */
  const others = new Map<string, Provider>();
  const otherProvider = (ref: ModelRef): Provider | undefined => {
    const known = others.get(ref.provider) ?? options.providerFor?.(ref);
    if (known !== undefined) others.set(ref.provider, known);
    return known;
  };
  const files = filesOf(options.workspace);
  const buttons = buttonsOf(options, configured);
  const spend: HearOptions["spend"] = (...asked) => withinBudget(...asked, { budget });
  const deps = (): LoopDeps => {
    const { settings, provider, model } = configured();
    return {
      provider: (ref) => (ref.provider === model.provider ? provider : (otherProvider(ref) ?? provider)),
      windowOf: (ref) =>
        ref.provider === model.provider && ref.model === model.model
          ? settings.contextWindow
          : (options.contextWindowFor?.(ref) ?? settings.contextWindow),
      costOf: (ref, usage) => costOf(usage, options.priceFor?.(ref) ?? modelInfo(ref.provider, ref.model).price),
      isFree: (ref) => options.isFree?.(ref) === true,
      model,
      settings,
      tools,
      ...(options.toolsReady !== undefined && { toolsReady: options.toolsReady }),
      context,
      policy,
      ...(options.hooks !== undefined && { hooks: options.hooks }),
      blobs,
      budget,
      memory: options.memory,
      memoryOf: (audience) => (audience === undefined ? options.memory : options.people?.room(audience).memory),
      behind: options.memory !== undefined && settings.memoryTiming === "background",
      ...beside(),
      compact,
      extraction: { tool: EXTRACT, keepAside: (call, parts) => keepAside(call, parts, blobs) },
      ...hearingOf(options.channels, options.voice, { blobs, spend, clock, log, redact }),
      stopped: () => options.stopFlag?.on === true,
      clock,
      stopwatch,
      ids,
      buttons,
      log,
      redact,
      secrets,
      random,
      hash: sha256,
      callFiles: files.callFiles,
      ...{ promptHash, firstWords, counter, pause: endOfTick },
      workspace: options.workspace,
      size: (state) => counter.request(state.prefix, state.messages, state.tokenFactor),
      bounds: {
        timeoutMs: settings.toolTimeoutMs,
        maxResultChars: settings.maxResultChars,
        store: files.store,
        redact,
      },
    };
  };
  return { deps, depsOf: withoutTraces(options.people === undefined ? deps : roomDeps(deps, options.people, filesOf)) };
}

/** Of what is said in a temporary conversation nothing is kept but its journal. */
function withoutTraces(depsOf: CurrentDeps["depsOf"]): CurrentDeps["depsOf"] {
  return (state) => {
    const own = depsOf(state);
    if (!isTemporary(state.key)) return own;
    return {
      ...own,
      memory: undefined,
      behind: false,
      bounds: { ...own.bounds, store: () => Promise.resolve(undefined) },
    };
  };
}

function buttonsOf({ channels = [] }: AgentOptions, configured: () => Configured): LoopDeps["buttons"] {
  return createButtons({
    channel: channelSet(channels).get,
    language: () => configured().settings.language,
    token: randomToken,
  });
}

/** Both are loaded when there is one: somebody who writes line by line, and a voice note. */
function hearingOf(
  channels: AgentOptions["channels"] = [],
  voice: VoiceOptions | undefined,
  rest: Omit<HearOptions, "voice">,
): { readonly hear: NonNullable<LoopDeps["hear"]> } {
  const set = channelSet(channels);
  const burstMs = (channel: string): number => set.get(channel)?.can.burstMs ?? 0;
  return {
    hear: (session, signal) => {
      const { pending, turn } = session.state;
      const isNote = voice !== undefined && pending.some(({ message }) => unheardNote(message) !== undefined);
      const [first] = turn === undefined ? pending : [];
      const mayGoOn = first !== undefined && burstMs(first.replyTo.channel) > 0;
      if (!isNote && !mayGoOn) return undefined;
      return (async () => {
        if (mayGoOn) await (await import("./channels/burst.ts")).awaitBurst(session, burstMs, rest.clock, signal);
        if (voice === undefined) return;
        const { hear } = await import("./channels/voice/hear.ts");
        await hear(session, { ...rest, voice }, signal);
      })();
    },
  };
}

/** What brings the files of messages that were accepted, and names in them: loaded when there is one. */
export function fetchingOf(
  {
    services,
    channels,
    settings,
    closing,
  }: {
    readonly services: AgentServices;
    readonly channels: ChannelSet;
    readonly settings: () => AgentSettings;
    readonly closing: AbortSignal;
  },
  wake: (key: string) => void,
  naming: () => Pick<FetchingOptions, "alone" | "label">,
): Fetching {
  const { blobs, clock, log, redact } = services;
  let made: Fetching | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    const { createFetching } = await import("./channels/media/fetching.ts");
    made = createFetching({
      ...{ blobs, clock, log, redact, wake, closing, channel: channels.get, ...naming() },
      mediaFirst: () => settings().mediaOrder === "media-first",
    });
  };
  return {
    look: (session) => {
      if (made !== undefined) return made.look(session);
      if (!hasComing(session.state)) return;
      loading ??= load();
      void loading.then(() => made?.look(session));
    },
    get busy() {
      return made?.busy ?? loading !== undefined;
    },
    idle: () => (loading === undefined ? Promise.resolve() : loading.then(() => made?.idle())),
  };
}
