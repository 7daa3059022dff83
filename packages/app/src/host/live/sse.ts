/** The same frames as server-sent events: for programs without a WebSocket. */
import type { Clock } from "@margay/core";
import { firstOf, messageTurn, type MessageTurn, type Summary } from "@margay/core/internal";
import type { WireCommit } from "@margay/core/internal/state";
import { problemDocument } from "../api/problem-body.ts";
import { toProblem } from "../api/problem.ts";
import type { Reply } from "../api/route.ts";
import { eventsOf, type Caller } from "../sessions/access.ts";
import { requireOwn } from "../sessions/privacy.ts";
import { detailOf } from "../sessions/detail.ts";
import { follow, type Following } from "./follow.ts";
import { createDrain, LIVE_BYTES, type Drain, type Outlet } from "./outlet.ts";

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

interface Stream {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly drain: Drain;
  /** Aborted when it ends. */
  readonly over: AbortController;
  closed: boolean;
  /** Not there before the first frame is on its way. */
  following: Promise<Following> | undefined;
}

export function streamSession(caller: Caller, options: StreamOptions): Reply {
  const drain = createDrain();
  let stream: Stream | undefined;
  const raw = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        stream = { controller, drain, over: new AbortController(), closed: false, following: undefined };
        begin(stream, caller, options);
      },
      pull: () => drain.release(),
      cancel: () => stream && end(stream),
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

function begin(stream: Stream, caller: Caller, options: StreamOptions): void {
  const { services, credential } = caller;
  const { app, closing } = services;
  const events = eventsOf(services);
  const watched = watchTurn(options.until, () => {
    write(stream, "event: end\ndata: {}\n\n");
    end(stream);
  });
  if (options.first !== undefined) write(stream, sse(options.first.event, JSON.stringify(options.first.data)));
  const { signal } = stream.over;
  closing.addEventListener("abort", () => goodbye(stream, "shutdown", RESTART_MS), { once: true, signal });
  credential?.gone.addEventListener("abort", () => goodbye(stream, "credential", null), { once: true, signal });
  options.signal.addEventListener("abort", () => end(stream), { once: true, signal });
  keepOpen(stream, app.clock).catch(() => {}); // the stream has ended
  stream.following = follow(
    {
      session: options.session.id,
      after: options.after,
      live: true,
      outlet: outletOf(stream),
      encode: (frame) => sse(frame.type, JSON.stringify(frame), frame.type === "commit" ? frame.seq : undefined),
      sent: watched,
    },
    {
      hub: events.hub,
      reader: events.reader,
      clock: app.clock,
      detail: (view) => detailOf(app, events, options.session, view, false),
      requireOwn: () => requireOwn(caller, options.session),
      dropped: (kind) => services.metrics.add("margay_ws_dropped_total", { kind }),
      failed: (error) => fail(stream, error),
    },
  );
  stream.following.then(
    (each) => stream.closed && each.end(),
    (error: unknown) => fail(stream, error),
  );
}

const encoder = new TextEncoder();

function write({ closed, controller }: Stream, text: string): void {
  if (!closed) controller.enqueue(encoder.encode(text));
}

function outletOf(stream: Stream): Outlet {
  const waiting = (): number => LIVE_BYTES - (stream.controller.desiredSize ?? 0);
  return {
    send: (text) => write(stream, text),
    get waiting() {
      return waiting();
    },
    drained: () => (stream.closed || waiting() <= LIVE_BYTES ? Promise.resolve() : stream.drain.wait()),
    get closed() {
      return stream.closed;
    },
  };
}

function end(stream: Stream): void {
  if (stream.closed) return;
  stream.closed = true;
  stream.over.abort();
  stream.drain.release();
  stream.following?.then((each) => each.end()).catch(() => {}); // it never began
  try {
    stream.controller.close();
  } catch {
    // cancelled by the client: there is nothing to close
  }
}

function goodbye(stream: Stream, reason: string, retryAfterMs: number | null): void {
  write(stream, sse("goodbye", JSON.stringify({ type: "goodbye", reason, retryAfterMs })));
  end(stream);
}

function fail(stream: Stream, error: unknown): void {
  const document = problemDocument(toProblem(error), "stream");
  write(stream, sse("error", JSON.stringify({ type: "error", id: null, error: document })));
  end(stream);
}

/** A comment when nothing else was sent for long. */
async function keepOpen(stream: Stream, clock: Clock): Promise<void> {
  for (;;) {
    await clock.sleep(COMMENT_MS, stream.over.signal);
    if (stream.controller.desiredSize === LIVE_BYTES) write(stream, ": still here\n\n");
  }
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
