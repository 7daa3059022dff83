// A raw HTTP server that answers exactly as told: bytes, cuts, resets and silence of the stream attack cases.
import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface StreamChunk {
  readonly text?: string;
  /** Base64 bytes. */
  readonly base64?: string;
  readonly repeat_text?: string;
  readonly times?: number;
  /** With `text` before each and a blank line after each, `times` times. */
  readonly repeat_event?: string;
}
export interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: readonly StreamChunk[];
  /** `cut`: closed without the end of the body. `hold`: the connection stays open and
   * silent. `silent`: not even a status line comes. Default `close`. */
  readonly end?: "close" | "cut" | "reset" | "hold" | "silent";
}
export interface StreamCase {
  readonly id: string;
  readonly api: string;
  readonly title: string;
  readonly response: ScriptedResponse;
  readonly then?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Of the client: tells connections apart. */
  readonly port: number;
  /** Resolves when the client's connection is gone. */
  readonly closed: Promise<void>;
}
export interface StreamServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** What to answer next; the last one is repeated. Whole texts, bytes or scripts. */
  answers(...responses: readonly ScriptedResponse[]): void;
  /** Resolves at the n-th request, counted from 1. */
  request(n: number): Promise<SeenRequest>;
}

/** All cases of the attack corpus. */
export function streamCases(): readonly StreamCase[] {
  const text = readFileSync(new URL("../fixtures/streams.jsonl", import.meta.url), "utf8");
  // A fixture of our own; its shape is the one above.
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as StreamCase);
}

/** What is sent of the body. */
export function bytesOf({ chunks }: ScriptedResponse): Uint8Array {
  return Buffer.concat(chunks.flatMap((chunk) => [...chunkBytes(chunk)]));
}

export async function startStreamServer(): Promise<StreamServer> {
  const script: ScriptedResponse[] = [];
  const requests: SeenRequest[] = [];
  const waiting: { readonly n: number; readonly resolve: (request: SeenRequest) => void }[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    const gone = Promise.withResolvers<void>();
    request.socket.once("close", () => gone.resolve());
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const seen: SeenRequest = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        port: request.socket.remotePort ?? 0,
        closed: gone.promise,
      };
      requests.push(seen);
      for (const wait of waiting) if (wait.n <= requests.length) wait.resolve(requests[wait.n - 1] ?? seen);
      const answer = script.length > 1 ? script.shift() : script[0];
      void play(answer ?? { status: 500, chunks: [] }, response);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.setMaxListeners(0); // Each request of a kept connection waits for its end.
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // Listening on TCP.
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answers: (...responses) => script.splice(0, script.length, ...responses),
    request: (n) => {
      const seen = requests[n - 1];
      if (seen !== undefined) return Promise.resolve(seen);
      return new Promise((resolve) => waiting.push({ n, resolve }));
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function play(answer: ScriptedResponse, response: http.ServerResponse): Promise<void> {
  const socket = response.socket;
  if (answer.end === "reset" && answer.chunks.length === 0) {
    socket?.resetAndDestroy();
    return;
  }
  if (answer.end === "silent") return;
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  for (const chunk of answer.chunks) for (const bytes of chunkBytes(chunk)) if (!(await write(response, bytes))) return;
  if (answer.end === "hold") return;
  if (answer.end === "reset") {
    await new Promise((resolve) => setImmediate(resolve)); // The bytes leave before the reset.
    socket?.resetAndDestroy();
  } else if (answer.status === 200 && answer.end === "cut") socket?.destroy();
  else response.end();
}

function* chunkBytes(chunk: StreamChunk): Generator<Buffer> {
  if (chunk.repeat_event !== undefined) {
    const event = Buffer.from(`${chunk.text ?? ""}${chunk.repeat_event}\n\n`);
    for (let n = 0; n < (chunk.times ?? 1); n++) yield event;
    return;
  }
  if (chunk.text !== undefined) yield Buffer.from(chunk.text);
  if (chunk.base64 !== undefined) yield Buffer.from(chunk.base64, "base64");
  if (chunk.repeat_text !== undefined) {
    const unit = Buffer.from(chunk.repeat_text);
    const per = Math.max(1, Math.floor(65_536 / unit.length));
    for (let left = chunk.times ?? 1; left > 0; left -= per)
      yield Buffer.from(chunk.repeat_text.repeat(Math.min(per, left)));
  }
}

/** One chunk per turn of the event loop, so that chunks stay apart on the wire. False when the client is gone. */
async function write(response: http.ServerResponse, bytes: Buffer): Promise<boolean> {
  if (response.destroyed || response.socket?.destroyed !== false) return false;
  const more = response.write(bytes);
  if (more) await new Promise((resolve) => setImmediate(resolve));
  else {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off("drain", go);
        response.off("close", go);
        resolve();
      };
      response.once("drain", go);
      response.once("close", go);
    });
  }
  return true;
}
