/** Wires an agent from options: the library's composition root, read top to bottom. */
import { askAside } from "./agent/aside.ts";
import { executeDirect, DIRECT_SESSION } from "./agent/direct.ts";
import { control, stopMessage, type ControlDeps, type Done } from "./agent/control.ts";
import { resumeAll } from "./agent/resume.ts";
import { createBudget } from "./agent/budget.ts";
import { createCommandActions } from "./agent/command-actions.ts";
import type { LoopDeps } from "./agent/deps.ts";
import { isUnfinished } from "./agent/due.ts";
import { failVisibly } from "./agent/fail-visibly.ts";
import { drive } from "./agent/loop.ts";
import { pinPerTurn } from "./agent/pinned-deps.ts";
import { pendingApprovals } from "./agent/approvals.ts";
import { createConsolidations } from "./agent/consolidations.ts";
import { DEFAULT_SETTINGS } from "./agent/settings.ts";
import { spendingSince } from "./agent/spending.ts";
import { createStopwatch } from "./agent/stopwatch.ts";
import { lateMark } from "./agent/texts.ts";
import { createSubagents, SUBAGENT, type Subagents } from "./agent/subagents.ts";
import { queueFromTool } from "./agent/tool-send.ts";
import { openTurn } from "./agent/turn.ts";
import { classifyCommand, compileLists } from "./builtin/exec-lists.ts";
import { createParking } from "./builtin/park.ts";
import { runCommand } from "./bus/commands.ts";
import { connectSessions } from "./bus/connect.ts";
import { createInbox } from "./bus/inbox.ts";
import { sendTo } from "./bus/send.ts";
import { createContext } from "./context/create-context.ts";
import { createPromptHash, project } from "./context/project.ts";
import { createTokenCounter } from "./context/tokens.ts";
import type { Agent, AgentOptions, AgentSettings } from "./contract/agent.ts";
import type { Channel, InboundMessage } from "./contract/bus.ts";
import type { ModelRef, Sender } from "./contract/message.ts";
import type { Provider } from "./contract/provider.ts";
import type { Session } from "./contract/session.ts";
import { openBlobs } from "./journal/blobs.ts";
import { openJournalDirectory } from "./journal/directory.ts";
import { hasCode, messageOf, RuntimeError } from "./lib/errors.ts";
import { createLanes, type Lanes } from "./lib/lanes.ts";
import { sessionKeyOf } from "./lib/session-key.ts";
import { systemClock } from "./platform/clock.ts";
import { environment, readTextFile } from "./platform/environment.ts";
import { sha256 } from "./platform/hash.ts";
import { random, systemIds } from "./platform/ids.ts";
import { silentLog } from "./platform/log.ts";
import { assertOutside } from "./platform/paths.ts";
import { safeFiles } from "./platform/safe-files.ts";
import { classifyPath } from "./lib/classify-path.ts";
import { createPolicy } from "./policy/policy.ts";
import { originOf } from "./session/session-key.ts";
import { openSessions } from "./session/sessions.ts";
import { createRegistry } from "./tools/registry.ts";

const OPERATOR: Sender = { id: "user", kind: "person" };
/** Turns in hand get this long to reach a commit when the process stops (R18). */
const SHUTDOWN_MS = 15_000;

/**
 * An agent over a state directory. Nothing is read or sent before the first message.
 *
 * @throws RuntimeError `state.inside-workspace`, `tool.duplicate`.
 */
export function createAgent(options: AgentOptions): Agent {
  assertOutside(options.directory, options.workspace);
  const clock = options.clock ?? systemClock();
  const ids = options.ids ?? systemIds();
  const log = options.log ?? silentLog;
  const redact = options.redact ?? ((text: string) => text);
  let settings: AgentSettings = { ...DEFAULT_SETTINGS, ...options.settings };
  let { provider, model } = options;

  const tools =
    options.tools !== undefined && "list" in options.tools ? options.tools : createRegistry(options.tools ?? []);
  const blobs = options.blobs ?? openBlobs(`${options.directory}/blobs`);
  const sessions =
    options.sessions ??
    openSessions({
      journals: openJournalDirectory(`${options.directory}/sessions`),
      clock,
      observers: options.observers ?? [],
    });
  const policy =
    options.policy ??
    createPolicy({
      approvalTimeoutMs: () => settings.approvalTimeoutMs,
      sandboxed: false,
      classifyPath: (path) => classifyPath(options.workspace, path, [options.directory]),
      classifyCommand: (text) => classifyCommand(text, compileLists([], [])),
    });
  const context =
    options.context ??
    createContext({
      workspace: options.workspace,
      tools: () => tools.list(),
      clock,
      timeZone: settings.timeZone,
      language: settings.language,
      persona: { name: "margay" },
      environment: environment(),
      readFile: readTextFile(options.workspace),
      hash: sha256,
      project,
      redact,
    });

  const closing = new AbortController();
  const channels = new Map<string, Channel>((options.channels ?? []).map((channel) => [channel.id, channel]));
  const channel = (id: string): Channel | undefined =>
    id === SUBAGENT ? subagents?.channel : (channels.get(id) ?? options.otherChannels);
  const { open, find, byId, deliver, ...delivery } = connectSessions({
    sessions,
    channel,
    settings: () => settings,
    late: (at) => lateMark(settings.language, new Date(at).toISOString()),
    clock,
    log,
    redact,
    closing: closing.signal,
  });

  const budget = createBudget({
    budgets: () => settings.budgets,
    clock,
    timeZone: () => settings.timeZone,
    spent: (since) => spendingSince(sessions, since),
    warn: ({ budget: { scope }, used }) => log.warn("budget.exceeded", { scope, used }),
  });
  const counter = createTokenCounter();
  const promptHash = createPromptHash(sha256);
  const stopwatch = createStopwatch(clock);
  const { park } = createParking(safeFiles({ root: options.workspace, restrict: true, protect: [] }), clock, log);
  /** Connections, resting keys and converted histories live in a provider: one for all its requests. */
  const others = new Map<string, Provider>();
  const providerOf = (ref: ModelRef): Provider | undefined => {
    const known = others.get(ref.provider) ?? options.providerFor?.(ref);
    if (known !== undefined) others.set(ref.provider, known);
    return known;
  };
  const currentDeps = (): LoopDeps => ({
    provider: (ref) => (ref.provider === model.provider ? provider : (providerOf(ref) ?? provider)),
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
    consolidations,
    clock,
    stopwatch,
    ids,
    log,
    redact,
    random,
    hash: sha256,
    promptHash,
    workspace: options.workspace,
    size: (state) => counter.request(state.prefix, state.messages, state.tokenFactor),
    bounds: { timeoutMs: settings.toolTimeoutMs, maxResultChars: settings.maxResultChars, park },
  });
  const depsOf = pinPerTurn(currentDeps);

  const lanes = createLanes({
    concurrency: () => settings.concurrency,
    clock,
    work: async (key, signal) => {
      const session = await find(key);
      if (session === undefined) return {};
      try {
        return await drive(session, () => depsOf(session), signal);
      } catch (error) {
        if (signal.aborted || hasCode(error, "journal.failed", "session.fenced")) throw error;
        log.error("turn.broken", {
          session: session.state.id,
          message: messageOf(error),
          stack: error instanceof Error ? (error.stack ?? "") : "",
        });
        await failVisibly(session, error, depsOf(session));
        return { until: clock.now() };
      }
    },
    failed: (key, error) => log.error("lane.failed", { session: key, message: messageOf(error) }),
  });

  const consolidations = createConsolidations({ find, deps: () => currentDeps(), clock, log });
  /** A child has lanes of its own, so that it takes no slot of a conversation (R24). */
  const laneOf = (key: string): Lanes =>
    subagents !== undefined && key.startsWith(`${SUBAGENT}:`) ? subagents.lanes : lanes;
  /** A delivered result of a child wakes its parent, so all three have to be quiet at once. */
  const allIdle = async (): Promise<void> => {
    do {
      await lanes.idle();
      await subagents?.lanes.idle();
      await delivery.idle();
      await consolidations.idle();
    } while (lanes.busy || subagents?.lanes.busy === true);
  };
  const wake = (key: string): void => laneOf(key).wake(key);
  const controlDeps: ControlDeps = {
    clock,
    wake,
    abort: (key, reason) => laneOf(key).abort(key, reason),
    stopChildren: async (session) => (await subagents?.stopAll(session.state.id)) ?? 0,
  };
  const actions = createCommandActions({
    settings: () => settings,
    model: () => model,
    size: (session) => currentDeps().size(session.state),
    controlDeps,
    options,
    atWork: async () => {
      const found = await Promise.all(
        (await sessions.list()).flatMap(({ key, fault }) => (fault === undefined ? [find(key)] : [])),
      );
      return found
        .filter((each) => each !== undefined)
        .filter(({ state }) => state.turn !== undefined || state.pending.length > 0);
    },
    consolidations,
    signal: closing.signal,
  });
  const command = async (session: Session, message: InboundMessage, text: string): Promise<boolean> => {
    const answer = await runCommand(session, message, text, actions);
    if (answer === undefined) return false;
    await session.commit(
      { type: "command.handled", key: `${message.origin.channel}\n${message.key}`, text, by: message.from },
      {
        type: "reply.queued",
        reply: ids.next("command"),
        to: message.origin,
        kind: "command",
        parts: [{ type: "text", text: answer }],
      },
    );
    return true;
  };
  const inbox = createInbox({
    open,
    policy,
    clock,
    ids,
    log,
    maxPending: () => settings.maxPending,
    redact,
    wake,
    control: async (session, action, by, origin) => {
      // A button is pressed by somebody too: only operators answer approvals (R188).
      if (action.type === "stop" || actions.mayApprove(by, origin)) await control(session, action, by, controlDeps);
    },
    command,
  });

  const subagents: Subagents | undefined =
    options.subagents === undefined
      ? undefined
      : createSubagents({
          options: options.subagents,
          deps: currentDeps,
          drive,
          open,
          find,
          byId,
          accept: inbox.accept,
          stop: (session, by) => control(session, { type: "stop", withdraw: true }, by, controlDeps),
          clock,
          log,
        });

  const resume = (): Promise<readonly string[]> =>
    resumeAll(sessions, {
      find,
      deliver,
      adopt: (session) => {
        subagents?.adopt(session);
        if (isUnfinished(session.state)) consolidations.wake(session.state.key);
      },
      wake,
      report: (message) => log.error("session.unreadable", { message }),
    });

  return {
    bus: {
      accept: inbox.accept,
      send: async (sessionKey, message) => {
        await sendTo(await open(sessionKey, message.to), message);
      },
    },
    sessions,
    blobs,
    tools,
    get settings() {
      return settings;
    },
    get model() {
      return model;
    },
    send: (sessionKey, message, given = {}) => {
      const origin = given.origin ?? originOf(sessionKey);
      return openTurn({
        session: open(sessionKey, origin),
        accept: () =>
          inbox.accept({
            key: given.key ?? ids.next("key"),
            origin,
            from: given.from ?? OPERATOR,
            parts: typeof message === "string" ? [{ type: "text", text: message }] : message,
            sessionKey,
            ...(given.attended !== undefined && { attended: given.attended }),
          }),
        stop: (session, id) => stopMessage(session, id, OPERATOR, controlDeps),
        signal: given.signal,
        closing: closing.signal,
      });
    },
    control: async (sessionKey, action, by): Promise<Done> => {
      const session = await find(sessionKey);
      return session === undefined
        ? { done: false, stopped: false, withdrawn: 0 }
        : control(session, action, by, controlDeps);
    },
    ask: async (sessionKey, aside, signal) =>
      askAside(
        await open(sessionKey, originOf(sessionKey)),
        aside,
        currentDeps(),
        AbortSignal.any([signal, closing.signal]),
      ),
    approvals: () => pendingApprovals(sessions),
    configure: (change) => {
      settings = { ...settings, ...change.settings };
      model = change.model ?? model;
      provider = change.provider ?? provider;
    },
    executeTool: async (name, args, given = {}) => {
      const session = await open(given.sessionKey ?? DIRECT_SESSION, { channel: "direct", chat: "tools" });
      return executeDirect(session, name, args, currentDeps(), given.signal ?? closing.signal);
    },
    spawn: async (request) => {
      if (subagents === undefined) return "Error: there are no subagents here. Next: do the task yourself.";
      if (request.origin !== undefined) await open(sessionKeyOf(request.origin), request.origin);
      return subagents.spawn(request);
    },
    subagents: (parent) => subagents?.list(parent) ?? [],
    cancelSubagent: (key) => subagents?.cancel(key) ?? Promise.resolve(false),
    queue: (message) => queueFromTool(message, { byId, find }),
    wake: (key) => {
      wake(key);
      void find(key).then(
        (session) => session !== undefined && deliver(session),
        (error: unknown) => log.error("session.unreadable", { session: key, message: messageOf(error) }),
      );
    },
    resume,
    run: async (signal) => {
      await resume();
      const running = [...channels.values()].map((each) =>
        each
          .run(inbox, signal)
          .catch((error: unknown) => log.error("channel.stopped", { channel: each.id, message: messageOf(error) })),
      );
      await aborted(signal);
      await Promise.all(running);
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
