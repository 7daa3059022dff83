// Sessions of the gateway: what was told to each, so that it can be told again.

import type { WebSocket } from "ws";

import type { Told } from "./world.ts";

/** A frame that goes to the client. */
export interface Frame {
  readonly op: number;
  readonly d: unknown;
  readonly s?: number;
  readonly t?: string;
}

/** One identify and what came of it. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  /** Of the last dispatch. */
  seq: number;
  /** All dispatches, for who resumes. */
  readonly told: Frame[];
  socket: WebSocket | undefined;
}

const CONTENT = 1 << 15;
const GUILDS = 1;

export class Sessions {
  readonly all = new Map<string, Session>();
  /** Takes what is sent to a socket, and may keep it back. */
  readonly #send: (socket: WebSocket, frame: Frame) => void;
  #count = 0;

  constructor(send: (socket: WebSocket, frame: Frame) => void) {
    this.#send = send;
  }

  open(socket: WebSocket, intents: number): Session {
    this.#count += 1;
    const session = { id: `session-${this.#count}`, intents, seq: 0, told: [], socket };
    this.all.set(session.id, session);
    return session;
  }

  of(socket: WebSocket): Session | undefined {
    return [...this.all.values()].find((one) => one.socket === socket);
  }

  dispatch(session: Session, type: string, data: unknown): void {
    session.seq += 1;
    const frame: Frame = { op: 0, t: type, s: session.seq, d: data };
    session.told.push(frame);
    if (session.socket !== undefined) this.#send(session.socket, frame);
  }

  /** To each session that wants it; without the intent there is no text. */
  tell({ type, data, intent, secret }: Told): void {
    for (const session of this.all.values()) {
      if ((session.intents & intent) !== intent) continue;
      const bare = secret === true && (session.intents & CONTENT) === 0;
      this.dispatch(session, type, bare ? withoutContent(data) : data);
    }
  }

  /** What was missed, then RESUMED. @returns false when that session cannot be taken up. */
  resume(session: Session, socket: WebSocket, seq: number): boolean {
    if (seq > session.seq) return false;
    session.socket = socket;
    for (const frame of session.told.filter(({ s = 0 }) => s > seq)) this.#send(socket, frame);
    this.dispatch(session, "RESUMED", { _trace: [] });
    return true;
  }

  wantsGuilds({ intents }: Session): boolean {
    return (intents & GUILDS) !== 0;
  }
}

/** What the intent MESSAGE CONTENT guards. */
export function withoutContent(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...data, content: "", embeds: [], attachments: [], components: [] };
}
