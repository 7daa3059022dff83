/** What the runs over many kills share: two at a time, and the words for a point. */
import type { CrashPoint } from "@margay/core/internal/testing";

export async function inPairs<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

export function pointText({ when, commit }: CrashPoint): string {
  return `${when} commit ${commit}`;
}
