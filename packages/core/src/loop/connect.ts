/** Sessions as the agent uses them: each one that is opened is connected to its way out. */
import type { Clock, Logger, SessionId } from "../contract/base.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import type { LiveText } from "../channels/live/live.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { textOf } from "../lib/text.ts";
import type { Hooks } from "../contract/plugin.ts";
import { replyGate } from "../hooks/hooks.ts";
import { createDelivery, type DeliveryOptions } from "./outbox.ts";
import { presenter } from "../channels/progress.ts";
import type { AgentEvent } from "../contract/event.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

export interface ConnectOptions {
  readonly sessions: SessionStore;
  readonly channel: (id: string) => Channel | undefined;
  readonly settings: () => AgentSettings;
  /** Marks a text that arrives late. */
  readonly late: (at: number) => string;
  /** For the dialect of a platform. */
  readonly printer: DeliveryOptions["printer"];
  readonly pacer: DeliveryOptions["pacer"];
  /** What a turn says while it says it. */
  readonly live: LiveText;
  readonly speak?: DeliveryOptions["speak"];
  readonly hooks?: Hooks | undefined;
  readonly crowd: NonNullable<DeliveryOptions["crowd"]>;
  readonly instead: NonNullable<DeliveryOptions["instead"]>;
  /** While nothing has come of an answer yet. */
  readonly waiting: () => string;
  /** Looks at a session when it is opened and after each of its records: what a platform shows beside the replies. */
  readonly beside: (session: Session) => void;
  /** The session could not be opened or written. */
  readonly failed: (sessionKey: string, error: Error) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface ConnectedSessions {
  open(key: string, origin: Address, parent?: NonNullable<SessionState["parent"]>): Promise<Session>;
  find(key: string): Promise<Session | undefined>;
  /** Only sessions that are in use. */
  byId(id: SessionId): Session | undefined;
  /** Sends what the session has queued. */
  deliver(session: Session): void;
  /** Sends one of them before the time of its next attempt. @returns false when it does not wait. */
  hurry(session: Session, reply: string): Promise<boolean>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
  close(reason: Error): Promise<void>;
}

const MAX_FORGOTTEN = 512;

export function connectSessions(options: ConnectOptions): ConnectedSessions {
  const { sessions, channel, settings, clock, log, redact } = options;
  const delivery = createDelivery({
    channel,
    clock,
    random: options.random,
    log,
    redact,
    retryMs: () => settings().deliveryRetryMs,
    late: options.late,
    printer: options.printer,
    pacer: options.pacer,
    crowd: options.crowd,
    live: options.live,
    ...(options.speak !== undefined && { speak: options.speak }),
    instead: options.instead,
    ...(options.hooks !== undefined && { denied: replyGate({ hooks: options.hooks, clock }) }),
  });
  const connected = new WeakSet<Session>();
  const inUse = new Map<SessionId, WeakRef<Session>>();
  const connect = (session: Session): Session => {
    if (connected.has(session)) return session;
    connected.add(session);
    // Sessions that nobody holds any more are forgotten now and then.
    if (inUse.size > MAX_FORGOTTEN) for (const [id, ref] of inUse) if (ref.deref() === undefined) inUse.delete(id);
    inUse.set(session.state.id, new WeakRef(session));
    options.beside(session);
    const present = presenter(session, {
      show: (message) => {
        if (!isShown(session) || !options.live.beside(session, textOf(message.parts))) delivery.show(message);
      },
      redact,
      waiting: options.waiting,
      instead: options.instead,
      sendProgress: () => settings().sendProgress,
      sendToolHints: () => settings().sendToolHints,
    });
    const show = options.live.follow(session);
    const wakes: SomeKinds<AgentEvent, [], void> = {
      "reply.queued": ({ to }) => delivery.wake(session, to),
      "reply.held": ({ why }) => (why === undefined ? delivery.wake(session) : undefined),
      "handle.received": ({ from }) => delivery.wake(session, from),
    };
    session.subscribe(
      (event) => {
        if (isShown(session)) show(event);
        present(event);
        bySomeKind(wakes, event);
        if ("seq" in event) options.beside(session);
      },
      (error) => options.failed(session.state.key, error),
    );
    return session;
  };
  const isShown = ({ state: { live, origin } }: Session): boolean =>
    live !== undefined || channel(origin.channel)?.can.live !== undefined;
  const failed =
    (key: string) =>
    (error: unknown): never => {
      if (hasCode(error, "journal.failed")) options.failed(key, error);
      throw error;
    };
  return {
    open: (key, origin, parent) => sessions.open(key, origin, parent).then(connect, failed(key)),
    find: (key) => sessions.find(key).then((session) => session && connect(session), failed(key)),
    byId: (id) => inUse.get(id)?.deref(),
    deliver: (session) => delivery.wake(session),
    hurry: delivery.hurry,
    idle: delivery.idle,
    close: delivery.close,
  };
}
