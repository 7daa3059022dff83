/** A connection to the control door that leaves HTTP with an upgrade: on bare sockets, since a client should start at once. */
import type { Socket } from "node:net";
import { NoDoor } from "./holder.ts";

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const MAX_HEAD_BYTES = 16_384;

export interface Connected {
  readonly socket: Socket;
  /** What came behind the answer already. */
  readonly head: Uint8Array;
}

/** @param patience Until when it must be answered. @throws NoDoor. */
export function connectDoor(path: string, protocol: string, patience: AbortSignal): Promise<Connected> {
  const socket = process.getBuiltinModule("node:net").connect(path);
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const refused = (): void => {
      socket.destroy();
      reject(new NoDoor());
    };
    patience.addEventListener("abort", refused, { once: true });
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(END_OF_HEAD);
      if ((end < 0 ? bytes.length : end + END_OF_HEAD.length) > MAX_HEAD_BYTES) return refused();
      if (end < 0) return;
      if (!bytes.subarray(0, 12).equals(Buffer.from("HTTP/1.1 101"))) return refused();
      patience.removeEventListener("abort", refused);
      socket.off("data", take).off("error", refused).off("close", refused);
      socket.pause();
      resolve({ socket, head: bytes.subarray(end + END_OF_HEAD.length) });
    };
    socket.on("data", take).on("error", refused).on("close", refused);
    socket.write(`GET / HTTP/1.1\r\nhost: margay\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n\r\n`);
  });
}
