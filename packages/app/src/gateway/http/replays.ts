/** `Idempotency-Key`: what was made is not made again when the answer was lost on its way (gateway.md §6.4). */
import { sha256, type Clock } from "@margay/core";
import { Problem } from "../problem.ts";
import type { Reply, Route } from "../route.ts";

export interface Replays {
  /** Runs `make`, or gives the first answer again. @throws Problem `idempotency.conflict`, `request.invalid`. */
  answer(request: ReplayRequest, make: () => Promise<Reply>): Promise<Reply>;
}

export interface ReplayRequest {
  readonly route: Route;
  readonly key: string;
  /** Whose key it is. */
  readonly owner: string;
  readonly path: string;
  readonly body: Uint8Array;
}

const KEPT_MS = 24 * 3_600_000;
/** The oldest go first. */
const MAX_KEPT = 1000;

/** Routes that make something. Those of messages keep the key in the journal, and a secret is not kept for a second look. */
export function isReplayed({ method, status, path, rawBody }: Route): boolean {
  return method === "POST" && status === 201 && rawBody === undefined && !path.startsWith("/auth/");
}

export function createReplays(clock: Clock): Replays {
  const kept = new Map<string, { readonly at: number; readonly hash: string; readonly reply: Promise<Reply> }>();
  return {
    answer: async ({ route, key, owner, path, body }, make) => {
      if (!/^[\x20-\x7e]{1,128}$/.test(key))
        throw new Problem("request.invalid", {
          detail: "Idempotency-Key is 1 to 128 printable characters.",
          errors: [{ path: "header/idempotency-key", code: "invalid", message: "1 to 128 printable characters" }],
        });
      const name = `${owner}\n${route.id}\n${key}`;
      const hash = sha256(Buffer.concat([Buffer.from(`${path}\n`), body]));
      const found = kept.get(name);
      if (found !== undefined && clock.now() - found.at < KEPT_MS) {
        if (found.hash !== hash)
          throw new Problem("idempotency.conflict", {
            detail: "This Idempotency-Key was used for another request.",
            remedy: "Take a new key for a new request.",
          });
        const reply = await found.reply;
        return { ...reply, headers: { ...reply.headers, "idempotent-replay": "true" } };
      }
      const reply = make();
      kept.delete(name);
      kept.set(name, { at: clock.now(), hash, reply });
      const oldest = kept.size > MAX_KEPT ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      try {
        return await reply;
      } catch (error) {
        kept.delete(name); // nothing was made: the next attempt is a first one
        throw error;
      }
    },
  };
}
