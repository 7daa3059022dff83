/** Headers that say what became of a request. */
import type { Asked } from "../asking.ts";

/** @param ignored names of fields that had no effect. */
export function answerHeaders(
  { place, turn }: Pick<Asked, "place" | "turn">,
  ignored: readonly string[],
  requestId: string,
): Readonly<Record<string, string>> {
  const begun = turn();
  return {
    "x-request-id": requestId,
    "margay-session": place.name,
    "margay-history": place.history,
    ...(begun !== undefined && { "margay-turn": begun }),
    ...(ignored.length > 0 && { "margay-ignored": ignored.join(", ") }),
  };
}
