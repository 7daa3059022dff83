/** How much of a file that comes in, or goes out, is in memory at once. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Where this process takes connections, and requests on those that it has. */
const TAKEN = ["net.server.socket", "http.server.request.start"];
const LOOK_MS = 200;
/** A look takes long where much is in memory: most of the time is left to what is looked at. */
const REST = 4;

/**
 * While so many bytes go to a platform, or come from it: the most that is held at once, without what the platform has of them, in this
 * process or another. What nobody can reach any more does not count: when it is freed is the engine's business.
 * @param move `begun`: to be called where the platform has all of what it will send.
 */
export async function mostHeld(bytes: number, move: (begun: () => void) => Promise<unknown>): Promise<number> {
  const before = new Map<Socket, number>();
  const taken = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }; // as Node documents both
    if (!before.has(socket)) before.set(socket, socket.bytesRead);
  };
  for (const name of TAKEN) subscribe(name, taken);
  try {
    let [most, looked, rest] = [0, 0, LOOK_MS];
    let atFirst = held();
    let over = false;
    const begun = (): void => void ([most, atFirst] = [0, held()]);
    const sending = move(begun).finally(() => (over = true));
    for (let next = 0; !over;) {
      await setImmediate();
      const received = [...before].reduce((sum, [socket, at]) => sum + socket.bytesRead - at, 0);
      // From its half on a platform in this process has more of it than we may. Each look takes its time.
      if (received > bytes / 2 || (received < next && performance.now() - looked < rest)) continue;
      const began = performance.now();
      most = Math.max(most, held() - atFirst - received);
      looked = performance.now();
      rest = Math.max(LOOK_MS, REST * (looked - began));
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
