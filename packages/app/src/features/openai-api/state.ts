/** What `/v1` keeps between requests: made once per gateway. */
import { join } from "node:path";
import type { App } from "../../app.ts";
import type { Services } from "../../host/api/services.ts";
import { openApiIndex, type ApiIndex } from "./session-index.ts";
import type { RestartedTurns } from "./reply/restarted.ts";
import { createSessionQueue, type SessionQueue } from "./queue.ts";

export interface OpenAiState {
  readonly queue: SessionQueue;
  readonly index: ApiIndex;
  /** Turns whose stream broke, by what was asked. */
  readonly restarted: RestartedTurns;
  /** Responses that are waited for or worked on, by id. */
  readonly running: Map<string, Running>;
}

export interface Running {
  /** Of a message that still waits too. */
  readonly stop: (reason: Error) => void;
  /** Resolves when nothing works on it any more. */
  readonly over: Promise<void>;
}

/** How often sessions whose time is over are looked for. */
const SWEEP_MS = 10 * 60_000;

export function stateOf({ once, closing }: Services): OpenAiState {
  const state = once(createState);
  state.keepClean(closing);
  return state;
}

function createState(app: App): OpenAiState & { keepClean(closing: AbortSignal): void } {
  const index = openApiIndex(join(app.loaded.places.home, "api", "index.jsonl"), app.clock, app.log);
  let sweeping: Promise<void> | undefined;
  return {
    queue: createSessionQueue(),
    index,
    restarted: new Map(),
    running: new Map(),
    keepClean: (closing) => {
      sweeping ??= sweep(app, index, closing);
    },
  };
}

async function sweep(app: App, index: ApiIndex, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    for (const { key } of index.expired(app.clock.now())) {
      try {
        const session = await app.agent.sessions.find(key);
        if (session !== undefined && (session.state.turn !== undefined || session.state.pending.length > 0)) continue;
        await app.agent.sessions.remove(key);
        index.forget(key);
      } catch (error) {
        app.log.warn("api.sweep", { session: key, message: error instanceof Error ? error.message : "unknown" });
      }
    }
    await app.clock.sleep(SWEEP_MS, closing).catch(() => {}); // aborted: the gateway closes
  }
}
