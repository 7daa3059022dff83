/** One socket of Socket Mode: hands out what is told, in order, and says what was taken. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ChannelHost } from "@margay/core/plugin";
import { isRecord, parsed, textOf, type Wire } from "../json.ts";

/** What Slack tells. It comes again, in another envelope, until somebody acknowledges it. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly payload: Wire;
}

export interface SocketEvents {
  /** Slack is there. */
  hello(): void;
  envelope(envelope: Envelope): void;
  /** It is to be replaced; it may still tell something. `reason`: as `refresh_requested`. */
  disconnect(reason: string): void;
  closed(error: Error): void;
}

export interface Socket extends Disposable {
  acknowledge(id: string): void;
}

const CONNECT_MS = 30_000;
/** Slack pings each socket; only here Node tells of it. */
const PINGS = "undici:websocket:ping";

export function openSocket(url: string, host: ChannelHost, events: SocketEvents): Socket {
  let isOver = false;
  const socket = new WebSocket(url);
  const over = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    waiting[Symbol.dispose]();
    unsubscribe(PINGS, pinged);
    if (socket.readyState <= WebSocket.OPEN) socket.close();
    events.closed(error);
  };
  const waiting = host.clock.timer(CONNECT_MS, () => over(new Error("Slack did not say hello")));
  const pinged = (message: unknown): void => {
    if (isRecord(message) && message["websocket"] === socket) host.alive();
  };
  subscribe(PINGS, pinged);
  const read = (frame: Wire): void => {
    const id = textOf(frame["envelope_id"]);
    const type = textOf(frame["type"]) ?? "";
    if (id !== undefined) events.envelope({ id, type, payload: isRecord(frame["payload"]) ? frame["payload"] : {} });
    else if (type === "hello") {
      waiting[Symbol.dispose]();
      events.hello();
    } else if (type === "disconnect") events.disconnect(textOf(frame["reason"]) ?? "");
  };
  socket.addEventListener("message", ({ data }) => {
    if (isOver) return;
    host.alive();
    const text: unknown = data;
    const frame = typeof text === "string" ? parsed(text) : undefined;
    if (frame !== undefined) read(frame);
    else host.deadLetter(typeof text === "string" ? text : "binary", new Error("no JSON object"));
  });
  socket.addEventListener("close", ({ code, reason }) => over(new Error(`${code} ${reason}`.trim())));
  socket.addEventListener("error", () => over(new Error("the connection failed")));
  return {
    acknowledge: (id) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: id }));
    },
    [Symbol.dispose]: () => over(new Error("it is over")),
  };
}
