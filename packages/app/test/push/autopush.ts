// What a Firefox is connected to, in place of Mozilla's: the protocol of autopush over a WebSocket, and behind it the strict
// push service of these tests. Held to what that protocol says, in both directions.
import { randomBytes, randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import type { Owner } from "../gateway/support.ts";
import { startPushService, type PushService, type Sealed } from "./push-service.ts";

export interface Autopush {
  /** `dom.push.serverURL` of a Firefox. */
  readonly url: string;
  /** Where the gateway sends. Its faults are those of both sides. */
  readonly service: PushService;
  /** What was handed to the browser, still encrypted for it. */
  readonly delivered: readonly Sealed[];
  /** What the browser said of each: 100 is "the page's worker has it". */
  readonly codes: readonly number[];
  /** Channels that are there now. */
  readonly channels: number;
}

interface Said {
  readonly messageType?: string;
  readonly use_webpush?: boolean;
  readonly uaid?: string;
  readonly channelID?: string;
  readonly key?: string;
  readonly updates?: readonly { readonly channelID: string; readonly version: string; readonly code: number }[];
}

interface Waiting {
  readonly channelID: string;
  readonly version: string;
  readonly message: Sealed;
}

/** One browser. What comes while it is away waits for its next `hello`. */
interface State {
  readonly uaid: string;
  readonly channels: Map<string, () => void>;
  /** By topic: what is newer takes the place of what has not come yet. */
  readonly waiting: Map<string, Waiting>;
  readonly delivered: Sealed[];
  readonly codes: number[];
  readonly faults: string[];
  socket?: WebSocket;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export async function startAutopush(t: Owner): Promise<Autopush> {
  const service = await startPushService(t);
  const uaid = randomBytes(16).toString("hex");
  const state: State = {
    ...{ uaid, channels: new Map(), waiting: new Map() },
    ...{ delivered: [], codes: [], faults: [] },
  };
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket, { headers }) => {
    if (headers["sec-websocket-protocol"] !== "push-notification") state.faults.push("push-notification alone");
    let greeted = false;
    socket.on("message", (data: Buffer) => {
      const said = JSON.parse(data.toString()) as Said;
      if (greeted === (said.messageType === "hello")) state.faults.push(`hello once, and first: ${said.messageType}`);
      greeted = true;
      heard(said, state, socket, service);
    });
    socket.on("close", () => {
      if (state.socket === socket) delete state.socket;
    });
  });
  await new Promise((resolve) => server.on("listening", resolve));
  t.onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    service: {
      ...service,
      get asked() {
        return service.asked;
      },
      get faults() {
        return [...service.faults, ...state.faults];
      },
    },
    delivered: state.delivered,
    codes: state.codes,
    get channels() {
      return state.channels.size;
    },
  };
}

function heard(said: Said, state: State, socket: WebSocket, service: PushService): void {
  const { channelID = "" } = said;
  const reply = (message: object): void => socket.send(JSON.stringify(message));
  const { channels, waiting, uaid, faults, codes } = state;
  switch (said.messageType) {
    case "hello":
      if (said.use_webpush !== true) faults.push("use_webpush is missing");
      state.socket = socket;
      reply({ messageType: "hello", uaid, status: 200, use_webpush: true, broadcasts: {} });
      for (const one of waiting.values()) hand(one, state);
      return;
    case "broadcast_subscribe":
      return; // news of the browser's maker: there is none
    case "register": {
      if (!UUID.test(channelID) || said.key === undefined) {
        faults.push("a channel has an id, and here a key of who may send");
        return reply({ messageType: "register", channelID, status: 400, pushEndpoint: "" });
      }
      const { endpoint, end } = service.address(said.key.replace(/=+$/, ""), (message) => {
        const one = { channelID, version: randomUUID(), message };
        waiting.set(String(message.headers["topic"] ?? one.version), one);
        hand(one, state);
      });
      channels.set(channelID, end);
      return reply({ messageType: "register", channelID, status: 200, pushEndpoint: endpoint });
    }
    case "unregister":
      channels.get(channelID)?.();
      if (!channels.delete(channelID)) faults.push("there is no such channel");
      return reply({ messageType: "unregister", channelID, status: 200 });
    case "ack":
      for (const { version, code } of said.updates ?? []) {
        codes.push(code);
        for (const [topic, one] of waiting) if (one.version === version) waiting.delete(topic);
      }
      return;
    default:
      faults.push(`not of this protocol: ${JSON.stringify(said)}`);
  }
}

function hand({ channelID, version, message }: Waiting, { socket, delivered }: State): void {
  if (socket === undefined) return;
  delivered.push(message);
  const headers = { encoding: message.headers["content-encoding"] };
  const data = message.body.toString("base64url");
  const ttl = Number(message.headers["ttl"]);
  socket.send(JSON.stringify({ messageType: "notification", channelID, version, ttl, data, headers }));
}
