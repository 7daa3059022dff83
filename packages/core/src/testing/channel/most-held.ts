/** How much of a file that goes out is in memory at once. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Where this process takes connections, and requests on those that it has. */
const TAKEN = ["net.server.socket", "http.server.request.start"];
const LOOK_MS = 200;

/**
 * While somebody sends so many bytes to a platform: the most that is held at once, without what the platform has of them, in this
 * process or another. What nobody can reach any more does not count: when it is freed is the engine's business.
 */
export async function mostHeld(bytes: number, send: () => Promise<unknown>): Promise<number> {
  const before = new Map<Socket, number>();
  const taken = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }; // as Node documents both
    if (!before.has(socket)) before.set(socket, socket.bytesRead);
  };
  for (const name of TAKEN) subscribe(name, taken);
  try {
    const atFirst = held();
    let over = false;
    const sending = send().finally(() => (over = true));
    let [most, looked] = [0, 0];
    for (let next = 0; !over;) {
      await setImmediate();
      const received = [...before].reduce((sum, [socket, at]) => sum + socket.bytesRead - at, 0);
      // From its half on a platform in this process has more of it than we may. Each look takes its time.
      if (received > bytes / 2 || (received < next && performance.now() - looked < LOOK_MS)) continue;
      most = Math.max(most, held() - atFirst - received);
      looked = performance.now();
      next = received + bytes / 10;
    }
    await sending;
    return most;
  } finally {
    for (const name of TAKEN) unsubscribe(name, taken);
  }
}

function held(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // the flag above makes it
  collect();
  collect(); // what the first has found is freed by now
  return process.memoryUsage().arrayBuffers;
}
