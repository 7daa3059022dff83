/** Wires an agent from options: the library's composition root, read top to bottom. */
import { createCurrentDeps, type Configured } from "./agent-deps.ts";
import { openServices } from "./agent-services.ts";
import { createDirectCalls } from "./seeds/direct-call.ts";
import { createRequests } from "./agent-requests.ts";
import { createAudience, forReaders } from "./loop/lanes/audience.ts";
import { askAgain } from "./loop/questions/ask-again.ts";
import { control, mayPress, stopMessage, withdraw, type ControlDeps, type Done } from "./control/control.ts";
import { createRecovery } from "./loop/recovery.ts";
import { createEmergencyStop, emergencyStopped, type EmergencyStop } from "./control/emergency-stop.ts";
import { createCommandActions } from "./control/command-actions.ts";
import { pendingApprovals } from "./control/approvals.ts";
import { createConsolidations } from "./memory/consolidation-lanes.ts";
import { DEFAULT_SETTINGS } from "./loop/settings.ts";
import { fullAnswer, lateMark, stillWaiting, stoppedAnswer } from "./loop/texts.ts";
import { createConversationLanes, slotsPerProvider } from "./loop/lane.ts";
import { finished } from "./loop/tool-step.ts";
import { createSubagents, SUBAGENT, type Subagents } from "./subagents/subagents.ts";
import { sessionsAtWork } from "./loop/lanes/sessions-at-work.ts";
import { openTurn } from "./loop/turn.ts";
import { answerCommand } from "./control/answer-command.ts";
import { connectSessions } from "./loop/connect.ts";
import { createInbox } from "./loop/inbox.ts";
import { listen } from "./loop/delivery/listen.ts";
import { sendTo } from "./loop/send.ts";
import type { Agent } from "./contract/agent.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent-options.ts";
import type { Channel, MessageBus } from "./contract/bus.ts";
import type { Session } from "./contract/session.ts";
import { messageOf, RuntimeError } from "./lib/errors/errors.ts";
import { OPERATOR } from "./lib/operator.ts";
import { allQuiet, type Lanes } from "./lib/async/lanes.ts";
import { random } from "./machine/system/ids.ts";
import { createCleanup } from "./machine/files/cleanup.ts";
import { assertOutside } from "./machine/files/paths.ts";
import { isUnfinished } from "./session/left-to-do.ts";
import { receivedKeys } from "./journal/received-keys.ts";
import { originOf } from "./session/session-key.ts";

/** Turns in hand get this long to reach a commit when the process stops. */
const SHUTDOWN_MS = 15_000;

/**
 * An agent over a state directory. Nothing is read or sent before the first message.
 *
 * @throws RuntimeError `state.inside-workspace`, `tool.duplicate`.
 */
export function createAgent(options: AgentOptions): Agent {
  assertOutside(options.directory, options.workspace);
  let configured: Configured = {
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    provider: options.provider,
    model: options.model,
  };
  const settings = (): AgentSettings => configured.settings;
  const services = openServices(options, settings);
  const { clock, ids, log, redact, tools, blobs, sessions, policy } = services;
  const closing = new AbortController();
  const currentDeps = createCurrentDeps(
    options,
    services,
    () => configured,
    () => consolidations,
    closing.signal,
  );

  const channels = new Map<string, Channel>((options.channels ?? []).map((channel) => [channel.id, channel]));
  const channel = (id: string): Channel | undefined => {
    if (id === SUBAGENT) return subagents?.channel;
    const found = channels.get(id);
    return found?.isOff?.() === true ? undefined : (found ?? options.otherChannels);
  };
  const { open, find, byId, deliver, hurry, ...delivery } = connectSessions({
    sessions,
    channel,
    settings,
    late: (at) => lateMark(settings().language, new Date(at).toISOString()),
    waiting: () => stillWaiting(settings().language),
    failed: (key, error) => recovery.failed(key, error),
    clock,
    log,
    redact,
    random,
  });

  const recovery = createRecovery({
    sessions,
    find,
    takeUp: (session) => takeUp(session),
    wake: (key) => wake(key),
    closing: closing.signal,
    clock,
    log,
  });
  const direct = createDirectCalls({ deps: currentDeps, wake: (key) => wake(key), closing: closing.signal });
  const lanes = createConversationLanes({
    ...slotsPerProvider(sessions, () => configured),
    find,
    drive: direct.drive,
    deps: (state) => forReaders(currentDeps(), state, options.guests),
    rested: recovery.rested,
    clock,
    log,
  });

  const consolidations = createConsolidations({
    find,
    deps: currentDeps,
    stopSignal: () => emergencyStop.signal, // asked when one runs: the stop below exists by then
    clock,
    log,
  });
  /** A child has lanes of its own, so that it takes no slot of a conversation. */
  const laneOf = (key: string): Lanes =>
    subagents !== undefined && key.startsWith(`${SUBAGENT}:`) ? subagents.lanes : lanes;
  /** A delivered result of a child wakes its parent, so all three have to be quiet at once. */
  const allIdle = (): Promise<void> =>
    allQuiet([lanes, ...(subagents === undefined ? [] : [subagents]), delivery, consolidations]);
  const wake = (key: string): void => laneOf(key).wake(key);
  const controlDeps: ControlDeps = {
    clock,
    wake,
    finished: (session, call, result, execution) => finished(session, call, result, execution, currentDeps()),
    abort: async (key, reason) => {
      await Promise.all([laneOf(key).abort(key, reason), direct.abort(key, reason)]);
    },
    interrupt: (key, reason, task) => laneOf(key).interrupt(key, reason, task),
    changed: (session, call) => askAgain(session, call, currentDeps()),
    ...(policy.remember !== undefined && { remember: policy.remember.bind(policy) }),
    stopChildren: async (session) => (await subagents?.stopAll(session.state.id)) ?? [],
  };
  const emergencyStop: EmergencyStop = createEmergencyStop({
    stopFlag: options.stopFlag,
    controlDeps,
    log,
    atWork: () => sessionsAtWork(sessions, find),
  });
  const actions = createCommandActions({
    deps: currentDeps,
    controlDeps,
    options,
    emergencyStop,
    consolidations,
    children: {
      list: (parent) => subagents?.list(parent) ?? [],
      cancel: (key) => subagents?.cancel(key),
    },
    signal: closing.signal,
  });
  const inbox = createInbox({
    open,
    find,
    keys: receivedKeys({ directory: `${options.directory}/keys`, clock, log }),
    policy,
    clock,
    ids,
    log,
    maxPending: () => settings().maxPending,
    mediaFirst: () => settings().mediaOrder === "media-first",
    redact,
    wake,
    control: async (session, { control: action, from, origin }, handled) => {
      if (mayPress(action, actions.mayApprove(from, origin)))
        await control(session, action, from, controlDeps, handled);
    },
    readBy: createAudience({ guests: options.guests, language: actions.language, clear: actions.clear }),
    command: (session, message, text) => answerCommand(session, message, text, { ids, actions }),
    stopped: () =>
      emergencyStop.on ? { reason: emergencyStopped().message, answer: stoppedAnswer(settings().language) } : undefined,
    fullAnswer: (waiting) => fullAnswer(waiting, settings().language),
    isOperator: actions.mayApprove,
  });

  const subagents: Subagents | undefined =
    options.subagents === undefined
      ? undefined
      : createSubagents({
          options: options.subagents,
          deps: currentDeps,
          drive: direct.drive,
          rested: recovery.rested,
          open,
          find,
          byId,
          accept: inbox.accept,
          stop: (session, by) => control(session, { type: "stop", withdraw: true }, by, controlDeps),
          clock,
          log,
        });

  /** What an earlier process, or a failed disk, left beside the turn. */
  const takeUp = (session: Session): void => {
    subagents?.adopt(session);
    if (isUnfinished(session.state)) consolidations.wake(session.state.key);
    if (session.state.outbox.length > 0) deliver(session);
  };
  const send: MessageBus["send"] = async (sessionKey, message) => sendTo(await open(sessionKey, message.to), message);
  const cleanUp = createCleanup({ workspace: options.workspace, directory: options.directory, log });
  return {
    bus: {
      accept: inbox.accept,
      send,
    },
    // Whoever opens one gets it with its way out, and its failures are looked after.
    sessions: { ...sessions, open, find },
    blobs,
    tools,
    get settings() {
      return configured.settings;
    },
    get model() {
      return configured.model;
    },
    get reservedTokens() {
      return currentDeps().budget.booked;
    },
    send: (sessionKey, message, given = {}) => {
      const origin = given.origin ?? originOf(sessionKey);
      const key = given.key ?? ids.next("key");
      return openTurn({
        session: open(sessionKey, origin),
        key: { key, channel: origin.channel },
        accept: () =>
          inbox.accept({
            key,
            origin,
            from: given.from ?? OPERATOR,
            parts: typeof message === "string" ? [{ type: "text", text: message }] : message,
            sessionKey,
            ...(given.attended !== undefined && { attended: given.attended }),
            ...(given.sampling !== undefined && { sampling: given.sampling }),
          }),
        stop: (session, id) => stopMessage(session, id, OPERATOR, controlDeps),
        signal: given.signal,
        closing: closing.signal,
      });
    },
    control: async (sessionKey, action, by): Promise<Done> => {
      const session = await find(sessionKey);
      return session === undefined
        ? { done: false, stopped: false, withdrawn: 0, work: { calls: [], subagents: [], messages: [] } }
        : control(session, action, by, controlDeps);
    },
    withdraw: async (sessionKey, message, by) => {
      const session = await find(sessionKey);
      return session !== undefined && withdraw(session, message, by, controlDeps);
    },
    ...createRequests({
      open,
      find,
      byId,
      send,
      deps: currentDeps,
      direct,
      subagents,
      emergencyStop,
      closing: closing.signal,
      options,
      sessions,
    }),
    stopAll: emergencyStop.stopAll,
    release: emergencyStop.release,
    approvals: () => pendingApprovals(sessions, clock.now),
    configure: (change) => {
      configured = {
        settings: { ...configured.settings, ...change.settings },
        provider: change.provider ?? configured.provider,
        model: change.model ?? configured.model,
      };
    },
    wake: (key) => {
      wake(key);
      void find(key).then(
        (session) => session !== undefined && deliver(session),
        (error: unknown) => log.error("session.unreadable", { session: key, message: messageOf(error) }),
      );
    },
    hurry: async (key, reply) => {
      const session = await find(key);
      return session !== undefined && hurry(session, reply);
    },
    resume: recovery.resume,
    run: async (signal) => {
      await cleanUp();
      await recovery.resume();
      if (signal.aborted) return; // no channel has begun, and none will: what waits for one goes at the next start
      await listen([...channels.values()], inbox, { clock, random, log }, signal);
      await Promise.race([allIdle(), clock.sleep(SHUTDOWN_MS, closing.signal).catch(() => {})]);
    },
    idle: allIdle,
    [Symbol.asyncDispose]: async () => {
      const reason = new RuntimeError(
        "process.stopping",
        "margay is shutting down; open turns go on at the next start.",
      );
      closing.abort(reason);
      await Promise.all([lanes.close(reason), subagents?.lanes.close(reason), consolidations.close(reason)]);
      await delivery.close(reason);
      await sessions[Symbol.asyncDispose]();
    },
  };
}
