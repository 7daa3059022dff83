/** The lanes of the conversations: each drives its session, and a defect ends a turn visibly. */
import type { Clock, Logger } from "../contract/base.ts";
import { limited, modelOf } from "../context/window.ts";
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ModelRef } from "../contract/message.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { createLanes, type Lanes } from "../lib/async/lanes.ts";
import type { LoopDeps } from "./deps.ts";
import type { Claimed } from "./lanes/claimed.ts";
import { failVisibly, type drive, type Rested } from "./loop.ts";

export interface ConversationLanesOptions {
  /** Sessions at work at once with one provider. */
  readonly concurrency: () => number;
  /** Whose model a session works with. */
  readonly providerOf?: (sessionKey: string) => string;
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly drive: typeof drive;
  /** Undefined: this process drives every session. */
  readonly claims?: Claimed | undefined;
  readonly deps: (state: SessionState) => LoopDeps;
  /** The turn came to rest, or waits. */
  readonly rested: (sessionKey: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A session that is not open waits with those of the default provider: nobody opens a thousand to ask each. */
export function slotsPerProvider(
  sessions: SessionStore,
  now: () => { readonly settings: AgentSettings; readonly model: ModelRef },
): Pick<ConversationLanesOptions, "concurrency" | "providerOf"> {
  return {
    concurrency: () => now().settings.concurrency,
    providerOf: (key) => modelOf(sessions.peek?.(key) ?? {}, now().model).provider,
  };
}

export function createConversationLanes(given: ConversationLanesOptions): Lanes {
  const { concurrency, providerOf, find, claims, clock, log } = given;
  const depsOf = pinPerTurn(given.deps);
  const work = async (key: string, signal: AbortSignal): Promise<Rested> => {
    const session = await find(key);
    if (session === undefined) return {};
    try {
      if (claims !== undefined) await session.catchUp(); // another process may have driven it meanwhile
      const rested = await given.drive(session, () => depsOf(session), signal);
      given.rested(key);
      return rested;
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
  };
  return createLanes({
    concurrency,
    ...(providerOf !== undefined && { poolOf: providerOf }),
    clock,
    work: claims === undefined ? work : (key, signal) => claims.drive(key, signal, work, find),
    failed: (key, error) => log.error("lane.failed", { session: key, message: messageOf(error) }),
  });
}

/**
 * A turn ends with the settings it began with; a change applies from the next one on.
 * @param current What a session of this state works with now.
 */
function pinPerTurn(current: (state: SessionState) => LoopDeps): (session: Session) => LoopDeps {
  const pinned = new WeakMap<Session, { readonly turn: string | undefined; readonly deps: LoopDeps }>();
  return (session) => {
    const turn = session.state.turn?.id;
    const known = pinned.get(session);
    // What was read for opening the turn is what the turn keeps.
    if (known !== undefined && turn !== undefined && (known.turn === turn || known.turn === undefined)) {
      if (known.turn === undefined) pinned.set(session, { turn, deps: known.deps });
      return known.deps;
    }
    const given = current(session.state);
    const deps = { ...given, settings: limited(given.settings, session.state.limits) };
    pinned.set(session, { turn, deps });
    return deps;
  };
}
