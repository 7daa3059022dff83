/** A WebSocket as an outlet: what waits in it is known, and a client that takes nothing for 30 s is let go. */
import type { WebSocket } from "ws";
import { createDrain, LIVE_BYTES, type Outlet } from "./outlet.ts";
import type { Clock } from "@margay/core";

const STALL_MS = 30_000;
const LOOK_MS = 5000;
/** Whoever connects again goes on from where it is. */
export const TRY_AGAIN = 1013;

export function socketOutlet(socket: WebSocket, clock: Clock): Outlet {
  const drain = createDrain();
  let progressAt = clock.monotonic();
  let watching = false;
  const closed = (): boolean => socket.readyState !== socket.OPEN;
  const watch = async (): Promise<void> => {
    watching = true;
    while (socket.bufferedAmount > 0 && !closed()) {
      await clock.sleep(LOOK_MS, over.signal).catch(() => {}); // closed: the loop ends
      if (clock.monotonic() - progressAt < STALL_MS || socket.bufferedAmount === 0) continue;
      socket.close(TRY_AGAIN, "too slow");
      socket.terminate(); // the close frame would wait behind what it does not read
    }
    watching = false;
  };
  const over = new AbortController();
  socket.once("close", () => {
    over.abort();
    drain.release();
  });
  return {
    send: (text) => {
      if (closed()) return;
      if (socket.bufferedAmount === 0) progressAt = clock.monotonic();
      socket.send(text, () => {
        progressAt = clock.monotonic();
        if (socket.bufferedAmount <= LIVE_BYTES) drain.release();
      });
      if (!watching && socket.bufferedAmount > 0) void watch();
    },
    get waiting() {
      return socket.bufferedAmount;
    },
    drained: () => (closed() || socket.bufferedAmount <= LIVE_BYTES ? Promise.resolve() : drain.wait()),
    get closed() {
      return closed();
    },
  };
}
