// The gateway, version 10, as JSON. There is no compression: who asks for it is told so and refused.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { type WebSocket, WebSocketServer } from "ws";

import { checkFields, type Fields } from "./fields.ts";
import { isRecord } from "./http.ts";
import { Sessions, type Frame, type Session } from "./sessions.ts";
import type { World } from "./world.ts";

/** What happened on the gateway, in order. */
export interface GatewayRecord {
  readonly what: "open" | "identify" | "resume" | "heartbeat" | "closed";
  /** `/` or `/resume`. */
  readonly path: string;
  readonly data?: unknown;
  /** With which the client has closed. */
  readonly code?: number;
}

export interface GatewayOptions {
  readonly world: World;
  readonly token: () => string | undefined;
  readonly complain: (text: string) => void;
  readonly changed: () => void;
  readonly heartbeatMs: number;
  /** Whether the application may read what people write in guilds. */
  readonly messageContent: boolean;
}

const ALL_INTENTS = 0x3_31_ff_ff;
const MEMBERS = 1 << 1;
const PRESENCES = 1 << 8;
const CONTENT = 1 << 15;
const IDENTIFY: Fields = {
  token: "string!",
  intents: "integer!",
  properties: { os: "string!", browser: "string!", device: "string!" },
  compress: "boolean",
  large_threshold: "integer",
  shard: ["integer"],
  presence: "any",
};
const RESUME: Fields = { token: "string!", session_id: "string!", seq: "integer!" };
const MAX_FRAMES = 120;

export class Gateway {
  readonly records: GatewayRecord[] = [];
  readonly sessions: Sessions;
  /** Identifies that are left today. */
  identifiesLeft = 1000;
  /** Takes no connection. */
  down = false;
  /** Of the next resumes. */
  refusals: { readonly resumable: boolean }[] = [];
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #paths = new Map<WebSocket, string>();
  readonly #silent = new Set<WebSocket>();
  #held: { readonly left: number; readonly frames: [WebSocket, Frame][] } | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.sessions = new Sessions((socket, frame) => this.#dispatch(socket, frame));
  }

  get sockets(): readonly WebSocket[] {
    return [...this.#paths.keys()];
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://gateway");
    if (this.down) return void socket.destroy();
    if (pathname !== "/" && pathname !== "/resume") {
      this.#options.complain(`a socket to ${pathname}`);
      return void socket.destroy();
    }
    this.#server.handleUpgrade(incoming, socket, head, (opened) => this.#open(opened, pathname, searchParams));
  }

  /** Silent from now on: nothing is read, nothing sent, nothing closed. */
  halfOpen(): void {
    for (const socket of this.sockets) this.#silent.add(socket);
  }

  /** No goodbye. */
  drop(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  closeAll(code: number): void {
    for (const socket of this.sockets) socket.close(code);
  }

  send(frame: Frame): void {
    for (const socket of this.sockets) this.#write(socket, frame);
  }

  /** The next dispatches are kept back until there are so many, and come in reverse. */
  reorder(count: number): void {
    this.#held = { left: count, frames: [] };
  }

  /** The client has to begin anew, or may resume. */
  invalidate(resumable: boolean): void {
    if (!resumable) this.sessions.all.clear();
    this.send({ op: 9, d: resumable });
  }

  end(): void {
    this.drop();
    this.#server.close();
  }

  #open(socket: WebSocket, path: string, query: URLSearchParams): void {
    const { heartbeatMs, complain } = this.#options;
    this.#paths.set(socket, path);
    this.#note({ what: "open", path });
    let frames = 0;
    socket.on("message", (data) => {
      if (this.#silent.has(socket)) return;
      frames += 1;
      if (frames > MAX_FRAMES) return socket.close(4008);
      this.#read(socket, path, String(data as Buffer)); // text comes as one Buffer
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => this.#closed(socket, path, code));
    if (query.get("v") !== "10" || query.get("encoding") !== "json" || query.has("compress")) {
      complain(`a socket with ?${String(query)}: version 10, JSON and no compression it has to be`);
      return socket.close(4012);
    }
    this.#write(socket, { op: 10, d: { heartbeat_interval: heartbeatMs, _trace: [] } });
  }

  #closed(socket: WebSocket, path: string, code: number): void {
    const session = this.sessions.of(socket);
    this.#paths.delete(socket);
    if (session !== undefined) {
      session.socket = undefined;
      // A client that says goodbye means it.
      if (code === 1000 || code === 1001) this.sessions.all.delete(session.id);
    }
    this.#note({ what: "closed", path, code });
  }

  #read(socket: WebSocket, path: string, text: string): void {
    const frame = parsed(text);
    if (frame === undefined) return this.#wrong(socket, 4002, `no frame: ${text.slice(0, 100)}`);
    const { op, d } = frame;
    if (op === 1) {
      this.#note({ what: "heartbeat", path, data: d });
      return this.#write(socket, { op: 11, d: null });
    }
    const isIn = this.sessions.of(socket) !== undefined;
    if (op !== 2 && op !== 6) return this.#wrong(socket, isIn ? 4001 : 4003, `op ${String(op)}`);
    if (isIn) return this.#wrong(socket, 4005, "said who it is twice");
    const complain = (said: string): void => this.#options.complain(`op ${op}: ${said}`);
    this.#note({ what: op === 2 ? "identify" : "resume", path, data: d });
    try {
      const data = checkFields(op === 2 ? IDENTIFY : RESUME, d, complain);
      if (data["token"] !== this.#options.token()) return socket.close(4004, "Authentication failed.");
      if (op === 2) this.#identify(socket, data);
      else this.#resume(socket, path, data);
    } catch (error) {
      this.#wrong(socket, 4002, `op ${op}: ${String(error)}`);
    }
  }

  #identify(socket: WebSocket, { intents, compress }: Readonly<Record<string, unknown>>): void {
    const { world, messageContent, complain } = this.#options;
    const wanted = Number(intents);
    if ((wanted & ~ALL_INTENTS) !== 0) return socket.close(4013, "Invalid intent(s).");
    if ((wanted & (MEMBERS | PRESENCES)) !== 0 || ((wanted & CONTENT) !== 0 && !messageContent))
      return socket.close(4014, "Disallowed intent(s).");
    if (compress === true) complain("compression");
    this.identifiesLeft -= 1;
    if (this.identifiesLeft < 0) complain("more identifies than a day has");
    const session = this.sessions.open(socket, wanted);
    const mine = [...world.guilds.values()].filter(({ members }) => members.has(world.me.id));
    this.sessions.dispatch(session, "READY", {
      v: 10,
      user: world.me,
      guilds: mine.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `${world.url.replace("http", "ws")}/resume`,
      application: { id: world.me.id, flags: 0 },
    });
    if (this.sessions.wantsGuilds(session)) for (const { id } of mine) this.#tellGuild(session, id);
  }

  #tellGuild(session: Session, guild: string): void {
    const { rooms, guilds } = this.#options.world;
    const inside = [...rooms.values()].filter((room) => room.guild === guild);
    this.sessions.dispatch(session, "GUILD_CREATE", {
      id: guild,
      name: guilds.get(guild)?.name,
      channels: inside.filter(({ parent }) => parent === undefined).map(({ channel }) => channel),
      threads: inside.filter(({ parent }) => parent !== undefined).map(({ channel }) => channel),
      roles: [...(guilds.get(guild)?.roles.values() ?? [])],
      members: [],
      unavailable: false,
    });
  }

  #resume(socket: WebSocket, path: string, { session_id: id, seq }: Readonly<Record<string, unknown>>): void {
    const refused = this.refusals.shift();
    if (path !== "/resume") this.#options.complain("resumed elsewhere than at resume_gateway_url");
    const session = this.sessions.all.get(String(id));
    if (refused !== undefined || session === undefined) {
      if (refused?.resumable !== true && session !== undefined) this.sessions.all.delete(session.id);
      return this.#write(socket, { op: 9, d: refused?.resumable === true });
    }
    if (!this.sessions.resume(session, socket, Number(seq))) socket.close(4007, "Invalid seq.");
  }

  #dispatch(socket: WebSocket, frame: Frame): void {
    const held = this.#held;
    if (held === undefined) return this.#write(socket, frame);
    held.frames.push([socket, frame]);
    if (held.frames.length < held.left) return;
    this.#held = undefined;
    for (const [to, kept] of held.frames.toReversed()) this.#write(to, kept);
  }

  #write(socket: WebSocket, frame: Frame): void {
    if (!this.#silent.has(socket)) socket.send(JSON.stringify({ s: null, t: null, ...frame }));
  }

  #wrong(socket: WebSocket, code: number, text: string): void {
    this.#options.complain(text);
    socket.close(code);
  }

  #note(record: GatewayRecord): void {
    this.records.push(record);
    this.#options.changed();
  }
}

function parsed(text: string): { readonly op: number; readonly d: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value["op"] === "number" && text.length <= 4096
      ? { op: value["op"], d: value["d"] }
      : undefined;
  } catch {
    return undefined;
  }
}
