/** The lanes of the conversations: each drives its session, and a defect ends a turn visibly. */
import type { Clock, Logger } from "../contract/base.ts";
import { modelOf } from "../context/window.ts";
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ModelRef } from "../contract/message.ts";
import type { Session, SessionState, SessionStore } from "../contract/session.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { createLanes, type Lanes } from "../lib/async/lanes.ts";
import type { LoopDeps } from "./deps.ts";
import { failVisibly } from "./lanes/fail-visibly.ts";
import type { drive } from "./loop.ts";
import { pinPerTurn } from "./lanes/pinned-deps.ts";

export interface ConversationLanesOptions {
  /** Sessions at work at once with one provider. */
  readonly concurrency: () => number;
  /** Whose model a session works with. */
  readonly providerOf?: (sessionKey: string) => string;
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly drive: typeof drive;
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
  const { concurrency, providerOf, find, clock, log } = given;
  const depsOf = pinPerTurn(given.deps);
  return createLanes({
    concurrency,
    ...(providerOf !== undefined && { poolOf: providerOf }),
    clock,
    work: async (key, signal) => {
      const session = await find(key);
      if (session === undefined) return {};
      try {
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
    },
    failed: (key, error) => log.error("lane.failed", { session: key, message: messageOf(error) }),
  });
}
