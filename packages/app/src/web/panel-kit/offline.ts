/** Whether the gateway can be reached. */
import { computed } from "@preact/signals";
import { line } from "../connection.ts";

export const online = computed(() => line.value.state !== "lost");

/** Reads the signal: whoever calls it while drawing is drawn again. */
export function useOffline(): boolean {
  return !online.value;
}
