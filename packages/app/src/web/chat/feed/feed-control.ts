/** How keys and search move in the feed that is on screen, also to rows that are not nodes now. */
import { signal } from "@preact/signals";

export interface FeedControl {
  /** To the next message: of yours, or any. @returns whether there is one. */
  step(which: "own" | "any", by: 1 | -1): boolean;
  toEnd(): void;
  /** This row at the top. */
  show(index: number): void;
}

export const feedControl = signal<FeedControl | undefined>(undefined);
