/** Whether this browser was told to tell whoever is logged in. Known from the start; everything else is loaded when it is so. */
import { person } from "../auth.ts";

const STORED = "margay.push";

/** Another person's choice in the same browser is none of mine. */
export function isPushOn(): boolean {
  return localStorage.getItem(STORED) === whose();
}

export function setPushOn(on: boolean): void {
  if (on) localStorage.setItem(STORED, whose());
  else localStorage.removeItem(STORED);
}

function whose(): string {
  return person.peek()?.id ?? "owner";
}
