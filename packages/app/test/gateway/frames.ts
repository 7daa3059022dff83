// A client of `/ws`: remembers what came, and waits for what is to come.
import { WebSocket } from "ws";
import { SERVER_FRAMES } from "../../src/protocol/frames.ts";
import type { TestGateway } from "./support.ts";

// eslint-disable-next-line typescript/no-explicit-any -- tests look into frames of every shape
export type Frame = any;

export interface Client {
  readonly socket: WebSocket;
  readonly frames: readonly Frame[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(frame: object | string): void;
  /** Sends a command and waits for its reply or error. */
  ask(frame: object): Promise<Frame>;
  /** The first frame, past or to come, that fits. */
  until(fits: (frame: Frame) => boolean): Promise<Frame>;
}

let commands = 0;

export interface ConnectOptions {
  readonly path?: string;
  /** Default: a token with scope `owner`. */
  readonly token?: string;
  readonly protocol?: string;
}

/** Listens from before the handshake on: the first frame may come with it. */
export async function connect(gateway: TestGateway, options: ConnectOptions = {}): Promise<Client> {
  const { path = "/ws", token = gateway.token("owner"), protocol } = options;
  const url = `${gateway.url.replace("http", "ws")}${path}`;
  const socket = new WebSocket(url, protocol ?? [], { headers: { authorization: `Bearer ${token}` } });
  const made = client(socket, path === "/ws");
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {}); // cut by the test
  return made;
}

/** @param described Each frame must be what its schema says (UI6). */
export function client(socket: WebSocket, described = true): Client {
  const frames: Frame[] = [];
  let waiters: { readonly fits: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void }[] = [];
  socket.on("message", (data: Buffer) => {
    const frame: Frame = JSON.parse(data.toString());
    if (described) SERVER_FRAMES[frame.type as keyof typeof SERVER_FRAMES].parse(frame);
    frames.push(frame);
    for (const waiter of waiters.filter(({ fits }) => fits(frame))) {
      waiters = waiters.filter((each) => each !== waiter);
      waiter.resolve(frame);
    }
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const until: Client["until"] = (fits) => {
    const found = frames.find(fits);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => {
      waiters.push({ fits, resolve });
    });
  };
  const send: Client["send"] = (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  return {
    socket,
    frames,
    closed,
    send,
    until,
    ask: (frame) => {
      const id = `c${(commands += 1)}`;
      send({ id, ...frame });
      return until((each) => each.id === id);
    },
  };
}

/** The last commit frame of a turn. */
export function isEnd(frame: Frame): boolean {
  return frame.type === "commit" && frame.records.some((record: Frame) => record.type === "turn.ended");
}
