// A WebSocket client that sends whatever it is told, and remembers what came back.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export interface RawSocket extends AsyncDisposable {
  /** Of the handshake; undefined when the connection ended without one. */
  readonly status: number | undefined;
  /** Text frames of the server. */
  readonly texts: readonly string[];
  /** Code of the server's close frame; 1006 when it just ended. */
  readonly closed: Promise<number>;
  /** A masked frame; `opcode` 1 is text. */
  frame(payload: Uint8Array | string, options?: { readonly opcode?: number; readonly fin?: boolean }): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves with the next text frame that fits, or one that is there already. */
  text(fits: (text: string) => boolean): Promise<string>;
}

export function openRawSocket(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<RawSocket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const texts: string[] = [];
    const watchers = new Set<() => void>();
    const closed = Promise.withResolvers<number>();
    let buffer: Buffer = Buffer.alloc(0);
    let isOpen = false;
    const made = (status: number | undefined): RawSocket => ({
      status,
      texts,
      closed: closed.promise,
      frame: (payload, options) => send(socket, frameOf(payload, options)),
      write: (bytes) => send(socket, bytes),
      text: (fits) =>
        new Promise((found, fail) => {
          const look = (): void => {
            const one = texts.find(fits);
            if (one === undefined) return;
            watchers.delete(look);
            found(one);
          };
          watchers.add(look);
          look();
          void closed.promise.then((code) => fail(new Error(`closed with ${code}`)));
        }),
      [Symbol.asyncDispose]: async () => {
        socket.destroy();
        await closed.promise;
      },
    });
    const end = (): void => {
      closed.resolve(1006);
      resolve(made(undefined));
    };
    socket.on("error", end);
    socket.on("close", end);
    socket.on("data", (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      if (!isOpen) {
        const head = buffer.indexOf("\r\n\r\n");
        if (head < 0) return;
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(buffer.toString("latin1"))?.[1]);
        buffer = buffer.subarray(head + 4);
        isOpen = status === 101;
        resolve(made(status));
        if (!isOpen) socket.destroy();
      }
      for (let frame = take(buffer); frame !== undefined; frame = take(buffer)) {
        buffer = frame.rest;
        if (frame.opcode === 1) texts.push(frame.payload.toString("utf8"));
        if (frame.opcode === 8) closed.resolve(frame.payload.length >= 2 ? frame.payload.readUInt16BE(0) : 1005);
      }
      for (const look of watchers) look();
    });
    const all = {
      host: `127.0.0.1:${port}`,
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  });
}

export function frameOf(
  payload: Uint8Array | string,
  { opcode = 1, fin = true }: { readonly opcode?: number; readonly fin?: boolean } = {},
): Buffer {
  const data = Buffer.from(payload);
  return Buffer.concat([frameHead(data.length, opcode, fin), data]);
}

/** The mask is zero: the payload goes as it is. */
export function frameHead(length: number, opcode = 1, fin = true): Buffer {
  const first = (fin ? 0x80 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask]);
  const size = Buffer.alloc(length < 65_536 ? 2 : 8);
  if (length < 65_536) size.writeUInt16BE(length);
  else size.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([first, 0x80 | (length < 65_536 ? 126 : 127)]), size, mask]);
}

/** Resolves when the system took the bytes, or the connection is over. */
function send(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || !socket.writable) resolve();
    else socket.write(bytes, () => resolve());
  });
}

function take(
  buffer: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly rest: Buffer } | undefined {
  if (buffer.length < 2) return undefined;
  const short = (buffer[1] ?? 0) & 0x7f;
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (buffer.length < 2 + sizeBytes) return undefined;
  const length = sizeBytes === 0 ? short : sizeBytes === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  const from = 2 + sizeBytes;
  if (buffer.length < from + length) return undefined;
  return {
    opcode: (buffer[0] ?? 0) & 0x0f,
    payload: buffer.subarray(from, from + length),
    rest: buffer.subarray(from + length),
  };
}
