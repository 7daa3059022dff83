/**
 * `Idempotency-Key`: what was made is not made again when the answer was lost on its way, or the process died.
 * An intent is on disk before anything is made, and the answer before it leaves.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Clock, type Logger } from "@margay/core";
import { isRecord, isTemporary, sha256, type Ids, type Millis } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { Problem, toProblem } from "../api/problem.ts";
import type { Making, Reply, Route } from "../api/route.ts";
import { openReplayFile, type Replay } from "./replay-file.ts";

export interface Replays {
  /**
   * Runs `make`, or gives the first answer again. An attempt whose end nobody knows is made again, under the same ids.
   * @throws Problem `idempotency.conflict`, `request.invalid`.
   */
  answer(request: ReplayRequest, make: (making: Making) => Promise<Reply>): Promise<Reply>;
  /** Of a conversation that is gone for good nothing is kept. */
  forget(session: string): void;
}

export interface ReplayRequest {
  readonly route: Route;
  readonly key: string;
  /** Whose key it is. */
  readonly owner: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Uint8Array;
}

const KEPT_MS = 24 * 3_600_000;
/** The oldest go first. */
const MAX_KEPT = 1000;

/** Routes that make something. Those of messages keep the key in the journal, and a secret is not kept for a second look. */
export function isReplayed({ method, status, path, runs }: Route): boolean {
  return method === "POST" && (status === 201 || runs === true) && !path.startsWith("/auth/");
}

/** For `services.once`. */
export function replaysOf({ loaded, clock, ids, log }: App): Replays {
  return createReplays({ home: loaded.places.home, clock, ids, log });
}

export interface ReplaysOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Logger, "error">;
}

/** Nothing is read before the first key. */
export function createReplays({ home, clock, ids, log }: ReplaysOptions): Replays {
  const isOld = ({ at }: Replay): boolean => clock.now() - at >= KEPT_MS;
  const file = openReplayFile(join(home, "gateway", "replays.jsonl"), {
    most: MAX_KEPT,
    isOld,
    // The client is told that it failed; why is for the operator.
    failed: (message) => log.error("replays.failed", { message }),
  });
  const inHand = new Map<string, Promise<Reply>>();

  const attempt = async (
    replay: Replay,
    begunAt: Millis | undefined,
    make: (making: Making) => Promise<Reply>,
  ): Promise<Reply> => {
    if (begunAt === undefined) await file.keep(replay);
    let reply: Reply;
    try {
      reply = await make({ newId: (kind) => `${kind}-${sha256(`${replay.seed}\n${kind}`).slice(0, 16)}`, begunAt });
    } catch (error) {
      // Refused: nothing was made, and the next attempt is a first one. After a failure nobody knows.
      if (toProblem(error).status < 500) await file.drop(replay.name);
      throw error;
    }
    const { status, body, headers } = reply;
    // Its first words are in the answer. Asked for again, it is found by its key and made no second time.
    if (isRecord(body) && typeof body["key"] === "string" && isTemporary(body["key"])) {
      await file.drop(replay.name);
      return reply;
    }
    await file.keep({
      ...replay,
      reply: { body, ...(status !== undefined && { status }), ...(headers !== undefined && { headers }) },
    });
    return reply;
  };

  return {
    answer: async ({ route, key, owner, target, body }, make) => {
      if (!/^[\x20-\x7e]{1,128}$/.test(key))
        throw new Problem("request.invalid", {
          detail: "Idempotency-Key is 1 to 128 printable characters.",
          errors: [{ path: "header/idempotency-key", code: "invalid", message: "1 to 128 printable characters" }],
        });
      const name = sha256(`${owner}\n${route.id}\n${key}`);
      const hash = createHash("sha256").update(`${target}\n`).update(body).digest("hex");
      const known = file.find(name);
      if (known !== undefined && known.hash !== hash)
        throw new Problem("idempotency.conflict", {
          detail: "This Idempotency-Key was used for another request.",
          remedy: "Take a new key for a new request.",
        });
      const running = inHand.get(name);
      const first = running === undefined ? known?.reply : await running;
      if (first !== undefined) return { ...first, headers: { ...first.headers, "idempotent-replay": "true" } };
      const replay = known ?? { name, hash, at: clock.now(), seed: ids.next("made") };
      const made = attempt(replay, known?.at, make).finally(() => inHand.delete(name));
      inHand.set(name, made);
      return await made;
    },
    forget: (session) => file.dropWhere(({ reply }) => JSON.stringify(reply?.body ?? null).includes(`"${session}"`)),
  };
}
