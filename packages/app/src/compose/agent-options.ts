/** What the agent is made of. */
import type { createAgent, ModelRef } from "@margay/core";
import { jobLine, type PeopleOptions } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { timeZoneOf } from "../config/load.ts";
import { voiceOptions } from "../features/speech/voice-options.ts";
import { isFree, knownModel, priceOf, providerFor, windowOf } from "../models/choose-model.ts";
import { agentNames, agentOf } from "../host/agents.ts";
import { sessionOf } from "../host/sessions/session-of.ts";
import { askedManners } from "./asked.ts";
import { titlesOf } from "../host/groups.ts";
import type { createEntrances } from "./channels.ts";
import type { Contexts } from "./contexts.ts";
import type { Engines } from "./engines.ts";
import type { Ground } from "./ground.ts";
import type { Judgement } from "./judgement.ts";

type AgentOptions = Parameters<typeof createAgent>[0];

export function agentOptions(
  ground: Ground,
  engines: Engines,
  judgement: Judgement,
  parts: {
    readonly contexts: Contexts;
    readonly room: PeopleOptions["room"];
    readonly channels: ReturnType<typeof createEntrances>["channels"];
  },
): AgentOptions {
  const { options, clock, ids, redactor, log, models, current, stopFlag, personas, groups } = ground;
  const { loaded, env } = options;
  const { home } = loaded.places;
  const { conversations, memory, skills, shared, toolbox, audienceAt, usualAt, contact } = engines;
  const { tools, childTools, mcp } = toolbox;
  const { people, policy, rules, serverReviews, shares } = judgement;
  const { contexts } = parts;
  const config = (): typeof loaded.config => current.loaded.config;
  return {
    directory: home,
    workspace: loaded.workspace,
    provider: current.chosen.provider,
    model: current.chosen.model,
    tools,
    toolsReady: mcp.ready,
    context: contexts.main,
    subagents: {
      tools: childTools,
      context: contexts.children,
      maxIterations: () => config().subagents.maxIterations,
      concurrency: () => config().subagents.concurrency,
      timeoutMs: () => config().subagents.timeoutSeconds * 1000,
    },
    policy,
    ...(toolbox.plugins.hooks !== undefined && { hooks: toolbox.plugins.hooks }),
    memory,
    channels: parts.channels,
    ...(options.otherChannels !== undefined && { otherChannels: options.otherChannels }),
    settings: models.settingsOf(loaded, current.chosen),
    store: conversations.store,
    sessions: conversations.sessions,
    blobs: conversations.blobs,
    clock,
    ids,
    log,
    redact: redactor.redact,
    secrets: redactor,
    resolveModel: (name) => knownModel(name, { config: config(), home }),
    providerFor: (ref) => providerFor(ref, { config: config(), now: config, env, clock, home }),
    priceFor: (ref) => priceOf(ref, config()),
    isFree: perConfig(config, isFree),
    contextWindowFor: perConfig(config, (ref, known) => windowOf(`${ref.provider}/${ref.model}`, known)),
    people: {
      speaker: people.speaker,
      room: parts.room,
      agents: {
        of: (state) => agentOf(state, config()),
        names: (audience) => agentNames(config(), audience),
      },
      settingsOf: (audience) => ({ timeZone: timeZoneOf(current.loaded, audience) }),
      group: groups.manners,
      join: groups.join,
      ...people.members,
      ...{ audienceAt, usualAt, contact, shares },
      ...{ shared: shared.files, asked: askedManners(ground), titleOf: titlesOf(loaded.places) },
    },
    ...manners(ground, engines),
    skillNames: skills.names,
    mayApprove: people.mayApprove,
    stopFlag,
    labelledFiles: toolbox.labelledFiles,
    serverReviews,
    savedRules: rules.saved,
    quarantine: toolbox.quarantine,
    hasPersona: personas.has,
    isContact: people.isContact,
    whoami: people.whoami,
    link: people.link,
  };
}

/** Of one person on one channel: nobody who waits for answers writes more. */
const FLOOD = { count: 20, perMs: 60_000 } as const;

/** What is done with what people write. */
function manners(
  ground: Ground,
  engines: Engines,
): Required<Pick<AgentOptions, "voice" | "flood" | "sessionOf">> & Pick<AgentOptions, "jobLines"> {
  const { current } = ground;
  const { cron } = engines.schedule;
  return {
    voice: voiceOf(ground, engines),
    flood: FLOOD,
    sessionOf: sessionOf(() => current.loaded.config),
    ...(cron !== undefined && {
      jobLines: async (audience) =>
        (await cron.list())
          .filter(({ by }) => by === audience)
          .map((job) => jobLine(job, timeZoneOf(current.loaded, audience))),
    }),
  };
}

function voiceOf(
  { options: { env }, clock, log, current, redactor }: Ground,
  { conversations: { blobs }, toolbox: { sandbox } }: Engines,
): NonNullable<AgentOptions["voice"]> {
  return voiceOptions({ loaded: () => current.loaded, env, blobs, sandbox, clock, log, secret: redactor.register });
}

/** Asked at each step of a turn, and the same for a model until the configuration changes. */
function perConfig<T>(config: () => Config, find: (model: ModelRef, config: Config) => T): (model: ModelRef) => T {
  let of: Config | undefined;
  let found = new Map<string, { readonly value: T }>();
  return (model) => {
    const now = config();
    if (now !== of) found = new Map();
    of = now;
    const name = `${model.provider}/${model.model}`;
    const known = found.get(name) ?? { value: find(model, now) };
    found.set(name, known);
    return known.value;
  };
}
