/** Text that other parts put into the composer: drafts put back, examples, commands. */
import { signal } from "@preact/signals";

/** Taken by the composer that is on screen. */
export const offered = signal<string | undefined>(undefined);

export function putIntoComposer(text: string): void {
  offered.value = text;
}
