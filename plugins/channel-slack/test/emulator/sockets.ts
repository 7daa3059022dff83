// Socket Mode: envelopes that come again until somebody acknowledges them.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { type WebSocket, WebSocketServer } from "ws";

import { isRecord, type Wire } from "./http.ts";

/** Something that the app is to know. */
interface Delivery {
  readonly type: string;
  readonly payload: Wire;
  attempts: number;
  /** Of the last attempt. */
  envelope: string;
}

export interface SocketRecord {
  readonly what: "open" | "told" | "ack" | "closed" | "nobody";
  readonly socket: number;
  readonly data?: unknown;
}

export class Sockets {
  readonly records: SocketRecord[] = [];
  /** What is not acknowledged. */
  readonly waiting = new Set<Delivery>();
  /** Takes no connection. */
  isDown = false;
  /** Says no hello. */
  isMute = false;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  /** They stay open, and are neither read nor told anything. */
  readonly #silent = new Set<WebSocket>();
  readonly #open = new Map<WebSocket, number>();
  readonly #tickets = new Set<string>();
  readonly #changed: () => void;
  readonly #complain: (text: string) => void;
  #count = 0;
  #turn = 0;

  constructor(changed: () => void, complain: (text: string) => void) {
    this.#changed = changed;
    this.#complain = complain;
  }

  ticket(): string {
    const ticket = `ticket-${(this.#count += 1)}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  get open(): number {
    return this.#open.size;
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(incoming.url ?? "/", "http://slack");
    const ticket = searchParams.get("ticket") ?? "";
    // A ticket is for one socket.
    if (this.isDown || !this.#tickets.delete(ticket)) {
      if (!this.isDown) this.#complain(`a socket with the ticket ${ticket}`);
      return void socket.destroy();
    }
    this.#server.handleUpgrade(incoming, socket, head, (opened) => this.#begin(opened));
  }

  /** One socket is told, by turns; nobody, when none is open. */
  tell(type: string, payload: Wire): void {
    const delivery: Delivery = { type, payload, attempts: -1, envelope: "" };
    this.waiting.add(delivery);
    this.#deliver(delivery);
  }

  /** The time of a retry has come: what is not acknowledged is told again. Interactions are not. */
  retry(): void {
    for (const delivery of [...this.waiting]) if (delivery.type === "events_api") this.#deliver(delivery);
  }

  /** To all: they are to be replaced. */
  disconnect(reason: string): void {
    for (const socket of this.#open.keys())
      socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink" } }));
  }

  /** The first one, with no goodbye. */
  dropFirst(): void {
    [...this.#open.keys()][0]?.terminate();
  }

  /** With a goodbye. */
  close(): void {
    for (const socket of this.#open.keys()) socket.close(1000);
  }

  halfOpen(): void {
    for (const socket of this.#open.keys()) this.#silent.add(socket);
  }

  drop(): void {
    for (const socket of this.#open.keys()) socket.terminate();
  }

  ping(): void {
    for (const socket of this.#open.keys()) socket.ping("Ping from applink");
  }

  raw(text: string): void {
    for (const socket of this.#open.keys()) socket.send(text);
  }

  end(): void {
    this.drop();
    this.#server.close();
  }

  #begin(socket: WebSocket): void {
    const number = (this.#count += 1);
    this.#open.set(socket, number);
    this.#note({ what: "open", socket: number });
    socket.on("message", (data) => {
      if (!this.#silent.has(socket)) this.#read(number, String(data as Buffer)); // text comes as one Buffer
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => {
      this.#open.delete(socket);
      this.#note({ what: "closed", socket: number, data: code });
    });
    if (!this.isMute)
      socket.send(
        JSON.stringify({
          type: "hello",
          num_connections: this.#open.size,
          connection_info: { app_id: "A1" },
          debug_info: {},
        }),
      );
  }

  #read(number: number, text: string): void {
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      return this.#complain(`no JSON: ${text.slice(0, 100)}`);
    }
    const id = isRecord(frame) ? frame["envelope_id"] : undefined;
    const found = [...this.waiting].find(({ envelope }) => envelope === id);
    if (typeof id !== "string") return this.#complain(`no envelope_id: ${text.slice(0, 100)}`);
    if (found !== undefined) this.waiting.delete(found);
    this.#note({ what: "ack", socket: number, data: id });
  }

  #deliver(delivery: Delivery): void {
    const { type, payload } = delivery;
    const sockets = [...this.#open];
    this.#turn += 1;
    const [socket, number = 0] = sockets[this.#turn % Math.max(1, sockets.length)] ?? [];
    delivery.attempts += 1;
    delivery.envelope = `envelope-${(this.#count += 1)}`;
    this.#note({
      what: socket === undefined ? "nobody" : "told",
      socket: number,
      data: { type, attempt: delivery.attempts },
    });
    if (socket === undefined || this.#silent.has(socket)) return;
    const retries = { retry_attempt: delivery.attempts, retry_reason: delivery.attempts === 0 ? "" : "timeout" };
    socket.send(
      JSON.stringify({
        envelope_id: delivery.envelope,
        type,
        payload,
        accepts_response_payload: type !== "events_api",
        ...(type === "events_api" && retries),
      }),
    );
  }

  #note(record: SocketRecord): void {
    this.records.push(record);
    this.#changed();
  }
}
