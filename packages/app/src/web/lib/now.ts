/** The moment, once a second, for running clocks; ticks only while something on screen shows one. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockSkew } from "../connection.ts";

const now = signal(Date.now());
const users = { count: 0, timer: undefined as ReturnType<typeof setInterval> | undefined };

/** The server's time at this moment, ms. */
export function serverNow(): number {
  return Date.now() + clockSkew.value;
}

/** The server's time, ms; the component is drawn again every second while `running`. */
export function useNow(running = true): number {
  useEffect(() => {
    if (!running) return undefined;
    users.count += 1;
    now.value = Date.now();
    users.timer ??= setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => {
      users.count -= 1;
      if (users.count > 0) return;
      clearInterval(users.timer);
      users.timer = undefined;
    };
  }, [running]);
  return (running ? now.value : now.peek()) + clockSkew.value;
}
