/** One call of a server's tool, whatever becomes of the connection meanwhile. */
import type { Effect, Logger, ToolContext, ToolResult } from "@margay/core";
import { type BlobStore, messageOf } from "@margay/core/internal";
import { refused, uncertain, unavailable } from "./no-result.ts";
import { toolResult } from "./result.ts";
import type { CallOptions, CallResult, Failure, Link, ServerState } from "./types.ts";

export interface CallDeps {
  /** The server's name. */
  readonly name: string;
  /** Connects when it is not. @returns undefined: it can't be used now. */
  readonly connected: (signal: AbortSignal) => Promise<Link | undefined>;
  readonly state: () => ServerState;
  readonly classify: (failure: unknown) => Failure;
  /** Told of a connection that is of no use any more. */
  readonly broke: (connection: Link, kind: Failure, failure: unknown) => void;
  readonly blobs: BlobStore;
  readonly log: Pick<Logger, "warn">;
}

export type Use = (
  effect: Effect,
  context: ToolContext,
  work: (link: Link, given: CallOptions) => Promise<CallResult>,
) => Promise<ToolResult>;

export function createCall({ name, connected, state, classify, broke, blobs, log }: CallDeps): Use {
  return async (effect, context, work) => {
    const given: CallOptions = { signal: context.signal, onProgress: context.progress };
    for (let tries = 1; ; tries += 1) {
      const connection = await connected(context.signal);
      if (connection === undefined) return unavailable(name, state());
      try {
        return await toolResult(await work(connection, given), blobs);
      } catch (failure) {
        context.signal.throwIfAborted();
        const kind = classify(failure);
        log.warn("mcp.call", { kind, message: messageOf(failure) });
        if (kind === "answered") return refused(name, messageOf(failure));
        broke(connection, kind, failure);
        // Nothing of a `write` is repeated, unless the server cannot have seen it.
        if (kind === "login" || tries > 1) return unavailable(name, state());
        if (effect === "write" && kind === "lost") return uncertain(name);
      }
    }
  };
}
