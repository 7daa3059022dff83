/** Wires an agent from options: the library's composition root, read top to bottom. Its parts are made in agent-parts.ts. */
import { type Configured } from "./agent-deps.ts";
import type { Base, Parts } from "./agent-base.ts";
import { createParts } from "./agent-parts.ts";
import { openServices } from "./agent-services.ts";
import { asksFirst, createAsking } from "./agent-people.ts";
import { createRequests, type RequestDeps } from "./agent-requests.ts";
import { control, stopMessage, withdraw, type Done } from "./control/control.ts";
import { rewrite } from "./control/rewrite.ts";
import { releaseIn } from "./control/who-may.ts";
import { pendingApprovals } from "./control/approvals.ts";
import { DEFAULT_SETTINGS } from "./loop/settings.ts";
import { openTurn } from "./loop/turn.ts";
import { channelSet, listen } from "./channels/listen.ts";
import { sendTo } from "./channels/send-to.ts";
import type { Agent } from "./contract/agent.ts";
import type { AgentOptions } from "./contract/agent-options.ts";
import type { MessageBus } from "./contract/bus.ts";
import { OWNER } from "./lib/audience.ts";
import { messageOf, RuntimeError } from "./lib/errors/errors.ts";
import { OPERATOR } from "./lib/operator.ts";
import { allQuiet } from "./lib/async/lanes.ts";
import { random } from "./machine/system/ids.ts";
import { createCleanup } from "./machine/files/cleanup.ts";
import { assertOutside } from "./machine/files/paths.ts";
import { originOf, rowKey } from "./lib/session-key.ts";

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
  const settings: Base["settings"] = (audience) =>
    audience === undefined
      ? configured.settings
      : { ...configured.settings, ...options.people?.settingsOf?.(audience) };
  const services = openServices(options, settings);
  const closing = new AbortController();
  const base: Base = {
    options,
    services,
    configured: () => configured,
    settings,
    channels: channelSet(options.channels ?? []),
    closing: closing.signal,
  };
  const parts = createParts(base);
  const { clock, tools, blobs, sessions, reading } = services;
  const { deps, depsOf, connected, direct, emergencyStop, inbox, subagents } = parts;
  const { open, find, byId } = connected;
  const send: MessageBus["send"] = async (key, message) =>
    sendTo(
      await open(rowKey(key, message.to, options.sessionOf), message.to),
      (await parts.keptBack?.sent(key, message)) ?? message,
    );
  return {
    bus: { accept: inbox.accept, send },
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
      return deps().budget.booked;
    },
    ...conversation(base, parts),
    ...createRequests({
      open,
      find,
      byId,
      send,
      deps,
      depsOf,
      direct,
      subagents,
      emergencyStop,
      closing: closing.signal,
      options,
      sessions,
      reading,
      asking: askingOf(base, parts),
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
    ...life(base, parts, closing),
  };
}

function askingOf(
  { options: { people }, services: { reading }, settings, closing }: Base,
  { connected: { byId, open }, releases, depsOf, emergencyStop }: Parts,
): RequestDeps["asking"] {
  if (people === undefined || reading === undefined || releases === undefined) return undefined;
  const stopped = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closing, emergencyStop.signal]);
  return {
    asks: asksFirst(reading, releases, () => settings().language),
    askPerson: createAsking({ people, releases, byId, open, depsOf, stopped }),
  };
}

/** What is said to a session, and what is done to it from outside of its lane. */
function conversation(
  { services: { ids, log, redact }, closing }: Base,
  { connected, controlDeps, inbox, wake }: Parts,
): Pick<Agent, "send" | "control" | "withdraw" | "rewrite" | "wake" | "hurry"> {
  const { open, find, deliver, hurry } = connected;
  return {
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
        closing,
      });
    },
    control: async (sessionKey, action, by): Promise<Done> => {
      const session = await find(sessionKey);
      const release = session && releaseIn(session.state, action);
      // Whoever is at the machine or on its pages is the owner, and answers for nobody else.
      const isForeign = release !== undefined && release.of !== OWNER && release.asks === undefined;
      return session === undefined || isForeign
        ? { done: false, stopped: false, withdrawn: 0, work: { calls: [], subagents: [], messages: [] } }
        : control(session, action, by, controlDeps);
    },
    withdraw: async (sessionKey, message, by) => {
      const session = await find(sessionKey);
      return session !== undefined && withdraw(session, message, by, controlDeps);
    },
    rewrite: async (sessionKey, message, change, by) => {
      const session = await find(sessionKey);
      return session !== undefined && rewrite(session, message, change, { by, redact });
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
      return session !== undefined && (await hurry(session, reply));
    },
  };
}

/** From its start to its end. */
function life(
  {
    options: { workspace, directory, sessionOf },
    services: {
      clock,
      log,
      sessions,
      store: { leases },
    },
    channels,
  }: Base,
  { connected, claims, consolidations, fetching, inbox, lanes, recovery, subagents, askedCalls }: Parts,
  closing: AbortController,
): Pick<Agent, "resume" | "run" | "idle"> & AsyncDisposable {
  const cleanUp = createCleanup({ workspace, directory, log });
  /** A delivered result of a child wakes its parent, so all three have to be quiet at once. */
  const atWork = [lanes, ...[subagents, askedCalls].filter((part) => part !== undefined), connected, consolidations];
  return {
    resume: recovery.resume,
    run: async (given, begun) => {
      const signal = AbortSignal.any([given, closing.signal]); // a channel that goes on has nobody who takes what it hears
      await cleanUp();
      const { rest } = await recovery.begin();
      if (signal.aborted) return; // no channel has begun, and none will: what waits for one goes at the next start
      begun?.(); // before it: what throws here leaves no channel behind
      await Promise.all([listen(channels, inbox, { clock, random, log, sessionOf, leases }, signal), rest()]);
      // A file that is on its way comes at the next start: nothing is lost of it.
      await Promise.race([allQuiet(atWork), clock.sleep(SHUTDOWN_MS, closing.signal).catch(() => {})]);
    },
    idle: () => allQuiet([fetching, ...atWork]),
    [Symbol.asyncDispose]: async () => {
      const reason = new RuntimeError(
        "process.stopping",
        "margay is shutting down; open turns go on at the next start.",
      );
      closing.abort(reason);
      claims?.[Symbol.dispose]();
      await Promise.all([lanes.close(reason), subagents?.lanes.close(reason), consolidations.close(reason)]);
      await connected.close(reason);
      await sessions[Symbol.asyncDispose]();
    },
  };
}
