// A connection to one of the addresses that were checked.
import type { Socket } from "node:net";
import type { Millis } from "../../contract/base.ts";
import { codeOf, MAX_TRIES, UNREACHED } from "../http/checked-addresses.ts";

export interface DialOptions {
  /** Opens the connection to an address. Default: TCP. */
  readonly connect?: (address: string, port: number) => Socket;
  /** One address gets this long to answer. */
  readonly connectMs: Millis;
}

/** The first address that takes a connection. @throws why the last one that was tried did not; `signal.reason`. */
export async function dialAny(
  addresses: readonly string[],
  port: number,
  { connect = dial, connectMs }: DialOptions,
  signal: AbortSignal,
): Promise<{ readonly socket: Socket; readonly address: string }> {
  let failure: unknown = new Error("no address");
  for (const address of addresses.slice(0, MAX_TRIES)) {
    const socket = connect(address, port);
    try {
      await connected(socket, connectMs, signal);
      return { socket, address };
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      failure = error;
      if (!UNREACHED.has(codeOf(error) ?? "")) break;
    }
  }
  throw failure;
}

function dial(address: string, port: number): Socket {
  // An address, not a name: nothing is resolved a second time.
  return process.getBuiltinModule("node:net").connect({ host: address, port });
}

async function connected(socket: Socket, connectMs: Millis, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const aborted = (): void => reject(new Error("margay is closing"));
  socket.setTimeout(connectMs, () => reject(Object.assign(new Error("it did not answer"), { code: "ETIMEDOUT" })));
  signal.addEventListener("abort", aborted, { once: true });
  socket.once("error", reject);
  socket.once("connect", resolve);
  try {
    await promise;
    socket.setTimeout(0);
    socket.removeListener("error", reject);
  } finally {
    signal.removeEventListener("abort", aborted); // it outlives the attempt
  }
}
