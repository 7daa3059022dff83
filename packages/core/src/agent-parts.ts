/** The parts of an agent and how they know each other, made from top to bottom. */
import { createCurrentDeps } from "./agent-deps.ts";
import { releasesOf } from "./agent-people.ts";
import { createDirectCalls } from "./seeds/direct-call.ts";
import { askAgain } from "./loop/questions/ask-again.ts";
import { type ControlDeps } from "./control/control.ts";
import { createRecovery } from "./loop/recovery.ts";
import { createEmergencyStop } from "./control/emergency-stop.ts";
import { speakingOf } from "./channels/voice/speaking.ts";
import { createCommandActions } from "./control/command-actions.ts";
import { createConsolidations } from "./memory/consolidation-lanes.ts";
import { lateMark, stillWaiting } from "./loop/texts.ts";
import { createConversationLanes, slotsPerProvider } from "./loop/lane.ts";
import { finished } from "./loop/tool-step.ts";
import { platformSides } from "./agent-platforms.ts";
import { agentSubagents } from "./agent-subagents.ts";
import { SUBAGENT } from "./subagents/subagents.ts";
import { withinBudget } from "./loop/spending/count-cost.ts";
import { sessionsAtWork } from "./loop/lanes/sessions-at-work.ts";
import { connectSessions, type ConnectedSessions, type ConnectOptions } from "./loop/connect.ts";
import type { AgentSettings } from "./contract/agent-options.ts";
import type { Channel } from "./contract/channel.ts";
import type { Session } from "./contract/session.ts";
import type { Lanes } from "./lib/async/lanes.ts";
import { random } from "./machine/system/ids.ts";
import { isUnfinished } from "./session/left-to-do.ts";

import type { Base, Parts } from "./agent-base.ts";
import { agentInbox } from "./agent-inbox.ts";

/** Asked when something runs: all of them exist by then. */
type All = () => Parts;

export function createParts(base: Base): Parts {
  const { options, services, configured, closing } = base;
  const { clock, log, sessions } = services;
  const all: All = () => parts;
  const laneOf = (key: string): Lanes =>
    subagents !== undefined && key.startsWith(`${SUBAGENT}:`) ? subagents.lanes : lanes;
  const wake = (key: string): void => laneOf(key).wake(key);
  const { deps, depsOf } = createCurrentDeps(options, services, configured, () => consolidations, closing);
  const connected = connectedSessions(base, all);
  const { find } = connected;
  const takeUp = (session: Session): void => leftBeside(session, all());
  const recovery = createRecovery({ sessions, find, takeUp, wake, closing, clock, log });
  const direct = createDirectCalls({ deps: depsOf, wake, closing });
  const lanes = createConversationLanes({
    ...slotsPerProvider(sessions, configured),
    find,
    drive: direct.drive,
    deps: depsOf,
    rested: recovery.rested,
    clock,
    log,
  });
  const consolidations = createConsolidations({
    find,
    deps: depsOf,
    stopSignal: () => emergencyStop.signal,
    clock,
    log,
  });
  const releases = releasesOf(base, connected, deps);
  const controlDeps = createControlDeps(base, all);
  const atWork = (): Promise<readonly Session[]> => sessionsAtWork(sessions, find);
  const emergencyStop = createEmergencyStop({ stopFlag: options.stopFlag, controlDeps, log, atWork });
  const actions = createCommandActions({
    deps,
    depsOf,
    controlDeps,
    options,
    emergencyStop,
    consolidations,
    children: {
      list: (parent) => subagents?.list(parent) ?? [],
      cancel: (key) => subagents?.cancel(key),
    },
    signal: closing,
  });
  const inbox = agentInbox(base, all);
  const subagents = agentSubagents(base, { depsOf, connected, recovery, direct, inbox, controlDeps });
  const parts: Parts = {
    deps,
    depsOf,
    connected,
    recovery,
    direct,
    releases,
    lanes,
    consolidations,
    controlDeps,
    emergencyStop,
    actions,
    inbox,
    subagents,
    laneOf,
    wake,
  };
  return parts;
}

function connectedSessions({ options, services, settings, channels, closing }: Base, all: All): ConnectedSessions {
  const { clock, log, redact, sessions, reading } = services;
  const channel = (id: string): Channel | undefined => {
    if (id === SUBAGENT) return all().subagents?.channel;
    const found = channels.get(id);
    return found?.isOff?.() === true ? undefined : (found ?? options.otherChannels);
  };
  const language = (): AgentSettings["language"] => settings().language;
  const instead: NonNullable<ConnectOptions["instead"]> = (state, reply) => reading?.instead(state, reply);
  const { type, settle, ...sides } = platformSides({ channel, language, clock, log, redact, instead, closing });
  return connectSessions({
    sessions,
    channel,
    ...sides,
    beside: (session) => {
      if (channels.list().some(({ can }) => can.typingMs !== undefined)) type(session);
      if (session.state.asked !== undefined) settle(session);
    },
    settings,
    late: (at) => lateMark(language(), new Date(at).toISOString()),
    instead,
    waiting: () => stillWaiting(language()),
    ...speakingOf(options.voice, () => ({
      spend: (...asked) => withinBudget(...asked, all().deps()),
      stop: all().emergencyStop,
      clock,
      log,
      redact,
    })),
    failed: (key, error) => all().recovery.failed(key, error),
    clock,
    log,
    redact,
    random,
  });
}

/** What an earlier process, or a failed disk, left beside the turn. */
function leftBeside(session: Session, { subagents, consolidations, connected, releases }: Parts): void {
  releases?.takeUp(session);
  subagents?.adopt(session);
  if (isUnfinished(session.state)) consolidations.wake(session.state.key);
  if (session.state.outbox.length > 0) connected.deliver(session);
}

function createControlDeps({ services: { clock, policy } }: Base, all: All): ControlDeps {
  return {
    clock,
    wake: (key) => all().wake(key),
    finished: (session, call, result, execution) =>
      finished(session, call, result, execution, all().depsOf(session.state)),
    abort: async (key, reason) => {
      await Promise.all([all().laneOf(key).abort(key, reason), all().direct.abort(key, reason)]);
    },
    interrupt: (key, reason, task) => all().laneOf(key).interrupt(key, reason, task),
    release: async (...given) => (await all().releases?.answer(...given)) === true,
    changed: (session, call) => askAgain(session, call, all().depsOf(session.state)),
    ...(policy.remember !== undefined && { remember: policy.remember.bind(policy) }),
    stopChildren: async (session) => (await all().subagents?.stopAll(session.state.id)) ?? [],
  };
}
