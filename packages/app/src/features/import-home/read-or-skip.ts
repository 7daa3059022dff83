/** What may not be read is named with the reason, and the rest is taken over. */
import { messageOf } from "@margay/core/internal";
import { shown } from "./shown.ts";
import type { Area, Source } from "./source.ts";

/** @returns undefined when it failed; then it stands among the skipped. */
export function readOrSkip<Value>(found: Source, area: Area, path: string, read: () => Value): Value | undefined {
  found.seen.add(path);
  try {
    return read();
  } catch (error) {
    const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
    found.skipped.push({ area, from: shown(found, path), reason });
    return undefined;
  }
}
