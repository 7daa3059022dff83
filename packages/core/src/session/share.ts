/** Whether a turn ended because somebody beside the owner has used up what they may of a day, and whether they were told. */
import type { ErrorInfo } from "../contract/record.ts";

/** @returns undefined: it is no such end. */
export function shareOf({ details }: Pick<ErrorInfo, "details">): "told" | "used up" | undefined {
  const share = typeof details === "object" && details !== null && "share" in details ? details["share"] : undefined;
  return share === "told" || share === "used up" ? share : undefined;
}
