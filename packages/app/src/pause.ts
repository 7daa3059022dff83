/** Whether the schedules are paused: a file of the state directory, so that a restart does not forget it. */
import { join } from "node:path";
import { readIfExists, replaceFile, type SchedulePause } from "@margay/core";

export function openPause(home: string): SchedulePause {
  const path = join(home, "paused");
  return {
    get paused() {
      return readIfExists(path)?.toString("utf8") === "yes\n";
    },
    set: (paused) => replaceFile(path, paused ? "yes\n" : "no\n"),
  };
}
