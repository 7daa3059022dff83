/** The fresh proof some calls ask for: one question at a time, its answer is shared by all who wait. */
import { signal } from "@preact/signals";

/** Set while the question is on screen. */
export const proofAsked = signal<((given: boolean) => void) | undefined>(undefined);

let waiting: Promise<boolean> | undefined; // one dialog for calls that fail together

/** @returns whether it was given; false when the person closed the question. */
export function askForProof(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    proofAsked.value = resolve;
  }).finally(() => {
    proofAsked.value = undefined;
    waiting = undefined;
  });
  return waiting;
}
