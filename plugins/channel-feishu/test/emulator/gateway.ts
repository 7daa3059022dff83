// The long connection: tickets, frames, fragments, acknowledgements, and what comes again without one.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Calls } from "./calls.ts";
import { type Frame, read, write } from "./frames.ts";
import { isRecord, type Json } from "./http.ts";

export interface GatewayOptions {
  readonly complain: (text: string) => void;
  readonly changed: () => void;
  /** Of the platform's seconds: with 100 what takes a second takes ten milliseconds. */
  readonly speed: number;
  readonly pingSeconds: number;
  /** Tells it instead, once it has an address. */
  readonly calls: Calls;
}

/** Something that the platform tells until it is taken. */
export interface Event {
  readonly id: string;
  readonly type: string;
  readonly payload: Json;
  /** How often it was sent. */
  sent: number;
  /** The answer that counted; absent: none did. */
  answer?: Json;
}

const SERVICE = 7;
/** An answer that comes later does not count. */
const ACK_SECONDS = 3;
const AGAIN_SECONDS = [15, 300, 3600, 21_600];
const FRAGMENT = 3000;

export class Gateway {
  readonly events: Event[] = [];
  /** Sends with the upgrade what waits; else when the client has said its first word. */
  eager = false;
  down = false;
  /** Frames of events are split in so many at least. */
  fragments = 1;
  pings = 0;
  /** How many upgrades there were. */
  opened = 0;
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #open = new Map<WebSocket, boolean>();
  readonly #silent = new Set<WebSocket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #flying = new Map<string, { readonly event: Event; readonly first: Frame; readonly late: NodeJS.Timeout }>();
  #seq = 100n;
  /** Takes turns. */
  #turn = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  config(): Json {
    return { PingInterval: this.#options.pingSeconds, ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30 };
  }

  endpoint(base: string): Json {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    const query = new URLSearchParams({ device_id: "1", service_id: String(SERVICE), access_key: "k", ticket });
    return { URL: `${base.replace("http", "ws")}/ws/v2?${String(query)}`, ClientConfig: this.config() };
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://gateway");
    if (this.down) return void socket.destroy();
    if (pathname !== "/ws/v2" || !this.#tickets.delete(searchParams.get("ticket") ?? "")) {
      this.#options.complain(`a socket to ${pathname} without a ticket, or with one that was used`);
      return void socket.destroy();
    }
    this.#server.handleUpgrade(incoming, socket, head, (opened) => this.#opened(opened));
  }

  /** So many connections are ready. */
  ready(): number {
    return [...this.#open.values()].filter(Boolean).length;
  }

  tell(type: string, event: Json, header: Json = {}): Event {
    const id = `ev_${randomUUID()}`;
    const payload = {
      schema: "2.0",
      header: {
        event_id: id,
        event_type: type,
        create_time: String(Date.now()),
        token: "",
        app_id: "cli",
        tenant_key: "tenant",
        ...header,
      },
      event,
    };
    const told: Event = { id, type, payload, sent: 0 };
    this.events.push(told);
    if (this.#options.calls.url === undefined) this.#deliver(told);
    else this.#options.calls.deliver(told);
    return told;
  }

  /** Any bytes, and an event that is anything. */
  raw(payload: Buffer | string): void {
    if (Buffer.isBuffer(payload)) for (const socket of this.#open.keys()) socket.send(payload);
    else this.#sendTo([...this.#open.keys()][0], `raw_${randomUUID()}`, payload);
  }

  /** No goodbye. */
  drop(): void {
    for (const socket of this.#open.keys()) socket.terminate();
    this.#open.clear();
  }

  close(code: number): void {
    for (const socket of this.#open.keys()) socket.close(code, "as asked");
  }

  halfOpen(): void {
    for (const socket of this.#open.keys()) this.#silent.add(socket);
  }

  end(): void {
    this.drop();
    this.#server.close();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #opened(socket: WebSocket): void {
    this.opened += 1;
    this.#open.set(socket, this.eager);
    socket.on("message", (data, isBinary) => this.#heard(socket, data as Buffer, isBinary)); // one Buffer, as it is set
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      this.#open.delete(socket);
      this.#options.changed();
    });
    if (this.eager) this.#deliverWaiting();
    this.#options.changed();
  }

  #heard(socket: WebSocket, data: Buffer, isBinary: boolean): void {
    if (this.#silent.has(socket)) return;
    const { complain, changed } = this.#options;
    try {
      if (!isBinary) throw new Error("a frame of text");
      const frame = read(data);
      if (frame.method === 0) this.#pinged(socket, frame);
      else this.#answered(frame);
    } catch (error) {
      complain(`frame: ${String(error)}`);
    }
    changed();
  }

  #pinged(socket: WebSocket, { headers, service }: Frame): void {
    if (headers["type"] !== "ping" || service !== SERVICE) throw new Error(`control ${headers["type"]} of ${service}`);
    this.pings += 1;
    const payload = JSON.stringify(this.config());
    socket.send(write({ seq: 0n, log: 0n, service, method: 0, headers: { type: "pong" }, payload }));
    const wasReady = this.#open.get(socket) === true;
    this.#open.set(socket, true);
    if (!wasReady) this.#deliverWaiting();
  }

  #answered(frame: Frame): void {
    const { message_id: id = "", biz_rt: took, type } = frame.headers;
    const flying = this.#flying.get(id);
    if (type !== "event" || !/^-?\d+$/.test(took ?? ""))
      throw new Error(`an answer with the headers ${JSON.stringify(frame.headers)}`);
    // It came too late, or for something that nobody sent.
    if (flying === undefined) return;
    const { event, first } = flying;
    if (frame.log !== first.log || frame.service !== SERVICE || frame.headers["trace_id"] !== first.headers["trace_id"])
      throw new Error("an answer that is none to what was sent");
    const answer: unknown = JSON.parse(frame.payload);
    if (!isRecord(answer) || answer["code"] !== 200) return;
    this.#flying.delete(id);
    clearTimeout(flying.late);
    const result =
      typeof answer["data"] === "string" ? (JSON.parse(Buffer.from(answer["data"], "base64").toString()) as Json) : {};
    event.answer = result;
  }

  #deliverWaiting(): void {
    for (const event of this.events) if (event.answer === undefined && event.sent === 0) this.#deliver(event);
  }

  /** To one of the connections, whichever. */
  #deliver(event: Event): void {
    const ready = [...this.#open].filter(([, isReady]) => isReady).map(([socket]) => socket);
    if (ready.length === 0) return;
    this.#turn += 1;
    const id = `${event.id}-${event.sent}`;
    const again = AGAIN_SECONDS[event.sent];
    event.sent += 1;
    const first = this.#sendTo(ready[this.#turn % ready.length], id, JSON.stringify(event.payload));
    const late = this.#after(ACK_SECONDS, () => {
      this.#flying.delete(id);
      if (again !== undefined)
        this.#after(again - ACK_SECONDS, () => event.answer === undefined && this.#deliver(event));
    });
    this.#flying.set(id, { event, first, late });
    this.#options.changed();
  }

  #sendTo(socket: WebSocket | undefined, id: string, payload: string): Frame {
    const bytes = Buffer.from(payload);
    const count = Math.max(this.fragments, Math.ceil(bytes.length / FRAGMENT));
    const size = Math.ceil(bytes.length / count);
    this.#seq += 1n;
    const log = this.#seq * 1_000_000_007n;
    const frames = Array.from({ length: count }, (_, index): Buffer | Frame => {
      const headers = { type: "event", message_id: id, sum: String(count), seq: String(index), trace_id: `t-${id}` };
      return {
        seq: this.#seq,
        log,
        service: SERVICE,
        method: 1,
        headers,
        payload: bytes.subarray(index * size, (index + 1) * size).toString("latin1"),
      };
    }) as Frame[];
    for (const frame of frames) if (socket !== undefined && !this.#silent.has(socket)) socket.send(latin(frame));
    return frames[0] as Frame; // there is one at least
  }

  #after(seconds: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        act();
      },
      (seconds * 1000) / this.#options.speed,
    );
    this.#timers.add(timer);
    return timer;
  }
}

/** A part of an event may end within a character. */
function latin(frame: Frame): Buffer {
  return write({ ...frame, payload: Buffer.from(frame.payload, "latin1") as never });
}
