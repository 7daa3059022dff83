/**
 * Constructs all services, read top to bottom: ground.ts, engines.ts, judgement.ts, contexts.ts and channels.ts make one group each,
 * agent-options.ts puts them together. What is acquired later is released first.
 */
import { createAgent } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App, ComposeOptions } from "../app.ts";
import { waitingServers } from "../features/mcp/review.ts";
import { livePersona } from "../features/personas/service.ts";
import { commandIn } from "../texts/command.ts";
import { agentOptions } from "./agent-options.ts";
import { createEntrances } from "./channels.ts";
import { followConfiguration } from "./configuration.ts";
import { createContexts } from "./contexts.ts";
import { type Engines, openEngines } from "./engines.ts";
import { type Ground, openGround } from "./ground.ts";
import { type Judgement, openJudgement } from "./judgement.ts";
import { openRooms } from "./rooms/rooms.ts";
import { followOtherProcesses } from "./other-processes.ts";

/**
 * Builds the agent on the state directory of `loaded` and takes its lock. Nothing is read or sent before the first message.
 * @throws RuntimeError `state.locked`, `state.inside-workspace`, `provider.unknown`.
 */
export async function compose(options: ComposeOptions): Promise<App> {
  await using stack = new AsyncDisposableStack(); // a failure half-way releases what was acquired
  const { loaded, env, language } = options;
  const ground = await openGround(options, stack);
  const { lock, clock, ids, redactor, log, models, current, audit, personas } = ground;
  const engines = await openEngines(ground, () => agent, stack);
  const { schedule, skills } = engines;
  const { tools, childTools, mcp } = engines.toolbox;
  const judgement = await openJudgement(ground, engines, () => agent);
  const contexts = createContexts({
    loaded,
    language,
    clock,
    persona: livePersona(() => current.loaded, personas, log),
    skills,
    waitingServers: () => waitingServers(mcp.current),
    redact: redactor.redact,
    tools,
    childTools,
    shared: engines.shared.line,
  });
  const { room, holdingsOf } = openRooms(ground, engines, { contexts, agent: () => agent }, stack);
  const { terminal, platforms, channels } = createEntrances({
    loaded,
    hooks: () => current.loaded.config.gateway.hooks,
    audienceAt: engines.audienceAt,
    sessions: () => agent.sessions,
    bus: () => agent.bus, // a reply is sent by the agent below
    blobs: () => agent.blobs,
    also: schedule.channels,
    clock,
    log,
  });
  const agent = stack.use(createAgent(agentOptions(ground, engines, judgement, { contexts, channels, room })));
  void engines.supervision.follow(); // what was changed while nothing ran
  stack.use(schedule); // before the agent it fires into
  const inside = insideOf(ground, engines, judgement, { platforms, holdingsOf });
  followOtherProcesses({ inside, schedule, audit, agent, log }, stack);
  const owned = stack.move();
  return {
    agent,
    terminal,
    schedule,
    audit,
    loaded,
    language,
    command: commandIn(env),
    get practice() {
      return current.chosen.practice;
    },
    clock,
    ids,
    log,
    configure: followConfiguration({
      env,
      now: () => current.loaded,
      models,
      take: (next, chosen) => {
        Object.assign(current, { loaded: next, chosen });
        void judgement.shares
          .prune()
          .catch((error: unknown) => log.error("shares.kept", { message: messageOf(error) }));
        void engines.supervision.follow();
        for (const changed of ground.configured) changed();
      },
      platforms,
      register: redactor.register,
      audit,
      mcp,
      schedule,
      agent,
      log,
    }),
    unclean: lock.unclean,
    inside,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function insideOf(
  { redactor, current, stopFlag, hold, personas, pairing, notifications, pages, configured }: Ground,
  { conversations, skills, toolbox, audienceAt, supervision }: Engines,
  { policy, rules, serverReviews, shares }: Judgement,
  given: Pick<App["inside"], "platforms" | "holdingsOf">,
): App["inside"] {
  const { tools, sandbox, undo, labelledFiles, quarantine, mcp } = toolbox;
  const { journals, sessions, feed, commitTimes, removeUnusedBlobs } = conversations;
  return {
    ...given,
    loaded: () => current.loaded,
    skills,
    pairing,
    audienceAt,
    notifications,
    pages,
    stopFlag,
    hold,
    personas,
    policy,
    sandbox,
    savedRules: rules.saved,
    shares,
    supervision,
    undo,
    labelledFiles,
    quarantine,
    serverReviews,
    tools,
    get mcp() {
      return mcp.current;
    },
    watchMcp: mcp.watch,
    watchConfig: (changed) => {
      configured.add(changed);
      return () => void configured.delete(changed);
    },
    readCommits: journals.read,
    sessionIds: journals.list,
    journals,
    storageFault: sessions.fault,
    feed,
    commitTimes,
    removeUnusedBlobs,
    redact: redactor.redact,
    secret: redactor.register,
  };
}
