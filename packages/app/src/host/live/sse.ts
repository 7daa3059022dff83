/** The same frames as server-sent events: for programs without a WebSocket. */
import { firstOf, messageTurn, type MessageTurn, type Summary } from "@margay/core/internal";
import type { WireCommit } from "@margay/core/internal/state";
import { problemDocument } from "../api/problem-body.ts";
import { toProblem } from "../api/problem.ts";
import type { Reply } from "../api/route.ts";
import { eventsOf, type Caller } from "../sessions/access.ts";
import { detailOf } from "../sessions/detail.ts";
import { follow, type Following } from "./follow.ts";
import { createDrain, LIVE_BYTES, type Outlet } from "./outlet.ts";

const COMMENT_MS = 15_000;
const RESTART_MS = 2000;

export interface StreamOptions {
  readonly session: Summary;
  /** Undefined: begins with a snapshot. */
  readonly after: number | undefined;
  /** The stream ends with the turn that takes this message; `null` is a command, which nothing follows. */
  readonly until?: string | null;
  /** Sent first. */
  readonly first?: { readonly event: string; readonly data: object };
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

export function streamSession(caller: Caller, options: StreamOptions): Reply {
  const { services, credential } = caller;
  const { app, closing } = services;
  const events = eventsOf(services);
  const drain = createDrain();
  const encoder = new TextEncoder();
  let closed = false;
  let end = (): void => {};
  const raw = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const over = new AbortController();
        const write = (text: string): void => {
          if (!closed) controller.enqueue(encoder.encode(text));
        };
        const waiting = (): number => LIVE_BYTES - (controller.desiredSize ?? 0);
        const outlet: Outlet = {
          send: write,
          get waiting() {
            return waiting();
          },
          drained: () => (closed || waiting() <= LIVE_BYTES ? Promise.resolve() : drain.wait()),
          get closed() {
            return closed;
          },
        };
        const watched = watchTurn(options.until, () => {
          write("event: end\ndata: {}\n\n");
          end();
        });
        if (options.first !== undefined) write(sse(options.first.event, JSON.stringify(options.first.data)));
        /** Not there before the first frame is on its way. */
        const started: { following?: Promise<Following> } = {};
        end = () => {
          if (closed) return;
          closed = true;
          over.abort();
          drain.release();
          started.following?.then((each) => each.end()).catch(() => {}); // it never began
          try {
            controller.close();
          } catch {
            // cancelled by the client: there is nothing to close
          }
        };
        const goodbye = (reason: string, retryAfterMs: number | null): void => {
          write(sse("goodbye", JSON.stringify({ type: "goodbye", reason, retryAfterMs })));
          end();
        };
        const fail = (error: unknown): void => {
          const document = problemDocument(toProblem(error), "stream");
          write(sse("error", JSON.stringify({ type: "error", id: null, error: document })));
          end();
        };
        const { signal } = over;
        closing.addEventListener("abort", () => goodbye("shutdown", RESTART_MS), { once: true, signal });
        credential?.gone.addEventListener("abort", () => goodbye("credential", null), { once: true, signal });
        options.signal.addEventListener("abort", () => end(), { once: true, signal });
        const comment = async (): Promise<void> => {
          for (;;) {
            await app.clock.sleep(COMMENT_MS, signal);
            if (controller.desiredSize === LIVE_BYTES) write(": still here\n\n");
          }
        };
        comment().catch(() => {}); // the stream has ended
        const following = follow(
          {
            session: options.session.id,
            after: options.after,
            live: true,
            outlet,
            encode: (frame) => sse(frame.type, JSON.stringify(frame), frame.type === "commit" ? frame.seq : undefined),
            sent: watched,
          },
          {
            hub: events.hub,
            reader: events.reader,
            clock: app.clock,
            detail: (view) => detailOf(app, events, options.session, view),
            dropped: (kind) => services.metrics.add("margay_ws_dropped_total", { kind }),
            failed: fail,
          },
        );
        started.following = following;
        following.then((each) => closed && each.end(), fail);
      },
      pull: () => drain.release(),
      cancel: () => end(),
    },
    { highWaterMark: LIVE_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  return {
    raw,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
      // A stream that ends while the gateway closes must not leave an idle connection behind.
      connection: "close",
    },
  };
}

function sse(event: string, data: string, id?: number): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

/** Calls `ended` after the last commit of the turn that takes the message. */
function watchTurn(message: string | null | undefined, ended: () => void): (commit: WireCommit) => void {
  if (message === undefined) return () => {};
  if (message === null) return ({ records }) => firstOf(records, "command.handled") !== undefined && ended();
  let at: MessageTurn = { status: "waiting", message };
  return ({ records }) => {
    at = records.reduce(messageTurn, at);
    if (at.status === "withdrawn" || at.status === "ended") ended();
  };
}
