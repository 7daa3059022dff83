/** What a client sends, frame by frame: bounded in number, and nothing unreadable is taken for something else. */
import type { Clock } from "@margay/core";
import type { RawData, WebSocket } from "ws";

export interface FrameReader {
  /** An object with its own string `type`. */
  frame(frame: Readonly<Record<string, unknown>>): void;
  /** Not JSON, no object, no type. */
  unreadable(): void;
  tooMany(): void;
}

const POLICY = 1008;
const UNSUPPORTED = 1003;
const PER_SECOND = 60;
const BURST = 120;
const MAX_FAULTS = 3;
const PING_MS = 20_000;
const MAX_SILENT = 2;

/** Reads until the socket closes. Pings the client; two without an answer end it. */
export function readFrames(socket: WebSocket, clock: Clock, reader: FrameReader): void {
  let tokens = BURST;
  let refilledAt = clock.monotonic();
  let unreadable = 0;
  let refused = 0;
  const take = (): boolean => {
    const now = clock.monotonic();
    tokens = Math.min(BURST, tokens + ((now - refilledAt) / 1000) * PER_SECOND);
    refilledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  const refuse = (): void => {
    refused += 1;
    if (refused > MAX_FAULTS) socket.close(POLICY, "too many frames");
    else reader.tooMany();
  };
  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (socket.readyState !== socket.OPEN) return;
    if (isBinary) {
      socket.close(UNSUPPORTED, "text frames only");
      return;
    }
    if (!take()) {
      refuse();
      return;
    }
    const frame = parse(data);
    if (frame !== undefined) {
      reader.frame(frame);
      return;
    }
    reader.unreadable();
    unreadable += 1;
    if (unreadable >= MAX_FAULTS) socket.close(POLICY, "unreadable frames");
  });
  let silent = 0;
  socket.on("pong", () => {
    silent = 0;
  });
  // A control ping is answered by ws itself; here it is only counted.
  socket.on("ping", () => {
    if (!take()) refuse();
  });
  const over = new AbortController();
  socket.once("close", () => over.abort());
  const ping = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(PING_MS, over.signal);
      if (silent >= MAX_SILENT) socket.terminate();
      silent += 1;
      socket.ping();
    }
  };
  ping().catch(() => {}); // the socket is closed
}

function parse(data: RawData): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data.toString()); // one Buffer: fragments are joined by ws
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const frame = value as Readonly<Record<string, unknown>>; // an object, looked at field by field
  return Object.hasOwn(frame, "type") && typeof frame["type"] === "string" ? frame : undefined;
}
