/** The parts of an agent and how they know each other, made from top to bottom. */
import { createCurrentDeps, fetchingOf } from "./agent-deps.ts";
import { askedCallsOf, keptBackOf, releasesOf } from "./agent-people.ts";
import { createDirectCalls } from "./seeds/direct-call.ts";
import { createControlDeps } from "./agent-control.ts";
import { control, mayPress } from "./control/control.ts";
import { createRecovery } from "./loop/recovery.ts";
import { createEmergencyStop, emergencyStopped } from "./control/emergency-stop.ts";
import { speakingOf } from "./channels/voice/speaking.ts";
import { createCommandActions } from "./control/command-actions.ts";
import { createConsolidations } from "./memory/consolidation-lanes.ts";
import {
  foreignAnswer,
  fullAnswer,
  guestWelcome,
  lateMark,
  otherReaders,
  stillWaiting,
  stoppedAnswer,
} from "./loop/texts.ts";
import { createConversationLanes, slotsPerProvider } from "./loop/lane.ts";
import type { LoopDeps } from "./loop/deps.ts";
import { platformSides } from "./agent-platforms.ts";
import { agentSubagents } from "./agent-subagents.ts";
import { SUBAGENT } from "./subagents/subagents.ts";
import { withinBudget } from "./loop/spending/count-cost.ts";
import { claimed } from "./loop/lanes/claimed.ts";
import { sessionsAtWork } from "./loop/lanes/sessions-at-work.ts";
import { type ConnectedSessions, type ConnectOptions, connectSessions } from "./loop/connect.ts";
import type { AgentSettings } from "./contract/agent-options.ts";
import type { Channel } from "./contract/channel.ts";
import type { Session, SessionState } from "./contract/session.ts";
import { allQuiet, type Lanes } from "./lib/async/lanes.ts";
import { endOfTick } from "./machine/files/files.ts";
import { random } from "./machine/system/ids.ts";
import { isUnfinished } from "./session/left-to-do.ts";
import type { Base, Parts } from "./agent-base.ts";
import { createAudience, isOwn } from "./people/audience.ts";
import { commandIn } from "./control/commands.ts";
import { admitsOf, editsOf, type Naming, namingOf, reactionsOf, undeliveredOf, unflooded } from "./agent-manners.ts";
import { createGroups, type Groups } from "./people/groups.ts";
import { createWriting, type Write } from "./people/written.ts";
import type { Reactions } from "./channels/afterwards/reactions.ts";
import { answerCommand } from "./control/answer-command.ts";
import { mayRelease, mayStop, releaseIn } from "./control/who-may.ts";
import { createPress } from "./control/press.ts";
import { nameIn } from "./channels/questions/asked-messages.ts";
import { createInbox } from "./loop/inbox.ts";
import type { ChannelInbox } from "./contract/bus.ts";
import type { CommandActions } from "./control/actions.ts";

/** Asked when something runs: all of them exist by then. */
type All = () => Parts;

export function createParts(base: Base): Parts {
  const { options, services, configured, closing } = base;
  const { clock, log, sessions } = services;
  const all: All = () => parts;
  const laneOf = (key: string): Lanes =>
    subagents !== undefined && key.startsWith(`${SUBAGENT}:`) ? subagents.lanes : lanes;
  const look = (key: string): void => laneOf(key).wake(key);
  const claims = services.store.work && claimed(services.store.work, { look, now: clock.now });
  // A child is driven where its parent is.
  const wake = (key: string): void => (claims === undefined || laneOf(key) !== lanes ? look(key) : claims.wake(key));
  const instead: LoopDeps["instead"] = (...given) => keptBack?.answer(...given);
  const beside = (): Pick<LoopDeps, "consolidations" | "instead"> => ({ consolidations, instead });
  const { deps, depsOf } = createCurrentDeps(options, services, configured, beside, closing);
  const fetching = fetchingOf(base, wake, () => naming);
  const connected = connectedSessions(base, all);
  const { find } = connected;
  const takeUp = (session: Session): void => leftBeside(session, all());
  const recovery = createRecovery({ sessions, find, takeUp, wake, pause: endOfTick, closing, clock, log });
  const direct = createDirectCalls({ deps: depsOf, wake, closing });
  const lanes = createConversationLanes({
    ...slotsPerProvider(sessions, configured),
    find,
    drive: direct.drive,
    claims,
    deps: depsOf,
    rested: recovery.rested,
    clock,
    log,
  });
  const stopSignal = (): AbortSignal => emergencyStop.signal;
  const consolidations = createConsolidations({ find, deps: depsOf, stopSignal, clock, log });
  const releases = releasesOf(base, connected, all);
  const keptBack = keptBackOf(base, releases);
  const askedCalls = askedCallsOf(base, releases);
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
    children: { list: (parent) => subagents?.list(parent) ?? [], cancel: (key) => subagents?.cancel(key) },
    signal: closing,
  });
  const { inbox, naming } = agentInbox(base, all);
  const subagents = agentSubagents(base, { depsOf, connected, recovery, direct, inbox, controlDeps });
  const parts: Parts = {
    deps,
    depsOf,
    fetching,
    connected,
    recovery,
    direct,
    releases,
    askedCalls,
    keptBack,
    lanes,
    claims,
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
  const platform = (id: string): Channel | undefined => (channels.get(id) === undefined ? undefined : channel(id));
  const { asked } = options.people ?? {};
  const shown = { channel, platform, asked, settings, clock, log, redact, instead, closing };
  const { type, settle, ...sides } = platformSides(shown);
  let areAsked = false;
  const connected = connectSessions({
    sessions,
    channel,
    hooks: options.hooks,
    ...sides,
    beside: (session) => {
      if (channels.list().some(({ can }) => (can.typingMs ?? can.ack) !== undefined)) type(session);
      if (session.state.asked !== undefined) settle(session);
      areAsked ||= hasQuestions(session.state);
      if (areAsked) sides.crowd.look(session);
      all().fetching.look(session);
      // Of the owner's own conversations nothing is asked elsewhere.
      if (session.state.audience !== undefined) all().askedCalls?.look(session);
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
  const { crowd } = sides;
  const quiet = {
    get busy() {
      return areAsked && crowd.busy;
    },
    idle: () => (areAsked && crowd.busy ? crowd.idle() : connected.idle()),
  };
  return { ...connected, idle: () => allQuiet([quiet, connected]) };
}

/** What an earlier process, or a failed disk, left beside the turn. */
function leftBeside(session: Session, { subagents, consolidations, connected, releases, fetching }: Parts): void {
  fetching.look(session);
  releases?.takeUp(session);
  subagents?.adopt(session);
  if (isUnfinished(session.state)) consolidations.wake(session.state.key);
  if (session.state.outbox.length > 0) connected.deliver(session);
}

function agentInbox(base: Base, all: All): { readonly inbox: ChannelInbox; readonly naming: Naming } {
  const { options, services, settings } = base;
  const { clock, ids, log, redact, policy } = services;
  const { people } = options;
  const actions: Pick<CommandActions, "mayApprove" | "language" | "clear"> = {
    mayApprove: options.mayApprove ?? (() => true),
    language: () => settings().language,
    clear: (session, by, also) => all().actions.clear(session, by, also),
  };
  const open: ConnectedSessions["open"] = (key, origin) => all().connected.open(key, origin);
  const find: ConnectedSessions["find"] = (key) => all().connected.find(key);
  const { keys } = services.store;
  const press = createPress({
    admit: policy.admit.bind(policy),
    mayApprove: actions.mayApprove,
    speaker: people?.speaker ?? (() => ({ role: "operator" })),
    settings,
    clock,
    sessions: services.sessions,
    find,
    keys,
    control: () => all().controlDeps,
    nameOf: nameIn,
  });
  const reactions = reactionsOf(base, find);
  const { groups, write } = written(base, open, actions.mayApprove, reactions);
  const door = createInbox({
    open,
    find,
    keys,
    policy,
    log,
    maxPending: () => settings().maxPending,
    write,
    redact,
    wake: (key) => all().wake(key),
    control: async (session, { control: action, from, origin }, handled) => {
      const who = people?.speaker(from, origin) ?? { role: "operator" as const };
      const release = releaseIn(session.state, action);
      if (release !== undefined && !mayRelease(release, who)) return;
      if (mayPress(action, actions.mayApprove(from, origin)) && mayStop(session.state, from, who.role))
        await control(session, action, from, all().controlDeps, handled);
    },
    ...(people !== undefined && {
      readBy: createAudience({
        speaker: people.speaker,
        told: () => otherReaders(settings().language),
        welcome: () => guestWelcome(settings().language),
        foreign: () => foreignAnswer(settings().language),
        clear: actions.clear,
      }),
    }),
    ...(groups !== undefined && { groups }),
    command: (session, message, text) => answerCommand(session, message, text, { ids, actions: all().actions }),
    stopped: () =>
      all().emergencyStop.on
        ? { reason: emergencyStopped().message, answer: stoppedAnswer(settings().language) }
        : undefined,
    fullAnswer: (waiting) => fullAnswer(waiting, settings().language),
  });
  const inbox = { accept: unflooded(door.accept, base, keys, open) };
  const given = { accept: inbox.accept, keys, write, groups, find, control: () => all().controlDeps };
  const { alone, ...edits } = editsOf(base, given);
  const said = { ...edits, ...undeliveredOf(base, find), reacted: reactions.reacted };
  return { inbox: { ...inbox, press, admits: admitsOf(base, groups), ...said }, naming: namingOf(groups, alone) };
}

/** What is done about groups, and how a message stands in its conversation. */
function written(
  { options: { people }, services, settings, channels }: Base,
  open: ConnectedSessions["open"],
  mayApprove: CommandActions["mayApprove"],
  reactions: Reactions,
): { readonly groups: Groups | undefined; readonly write: Write } {
  const { clock, ids, redact } = services;
  const burstMs = (id: string): number => channels.get(id)?.can.burstMs ?? 0;
  const groups =
    people === undefined
      ? undefined
      : createGroups({
          people,
          open,
          sessions: services.sessions,
          clock,
          ids,
          redact,
          burstMs,
          command: commandIn,
        });
  const write = createWriting({
    clock,
    ids,
    ...(groups !== undefined && { place: groups.place }),
    burstMs,
    reactions,
    mediaFirst: () => settings().mediaOrder === "media-first",
    redact,
    steers: ({ state }, { from, origin }) =>
      mayApprove(from, origin) || (people !== undefined && isOwn(state, people.speaker(from, origin))),
  });
  return { groups, write };
}

function hasQuestions({ asked, releases, turn }: SessionState): boolean {
  const isAsking = turn?.questions !== undefined || turn?.calls.some(({ status }) => status === "asked") === true;
  return isAsking || asked !== undefined || releases !== undefined;
}
