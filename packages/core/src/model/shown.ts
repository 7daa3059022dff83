// What counts as shown: after it, another key or model would say things twice.
import type { ModelEvent } from "../contract/provider.ts";

/** Text and parts do. Thinking and argument deltas are live only and superseded by the record. */
export function isShown(event: ModelEvent): boolean {
  return event.type === "text.delta" || event.type === "part" || event.type === "done";
}
