/** Who this page is to the gateway: the key half of the login, and whether it still holds. */
import { signal } from "@preact/signals";

const STORED = "margay.key";

/** `unknown` until the first answer; `signed-out` shows the way back in over whatever is open. */
export const login = signal<"unknown" | "in" | "out" | "signed-out">("unknown");

/** The login of somebody beside the owner: they have some of the pages. */
export const isPersons = signal(false);

/** Whether the password is a way in; false: none was ever set, and a link of the terminal is the only one. */
export const hasPassword = signal(true);

export function loginKey(): string | null {
  return localStorage.getItem(STORED);
}

export function keepKey(key: string): void {
  localStorage.setItem(STORED, key);
  login.value = "in";
}

/** Forgets everything this page kept: nothing private stays on a shared computer. Drafts stay until an own logout. */
export function forget(everything: boolean): void {
  if (everything) {
    for (const storage of [localStorage, sessionStorage])
      for (const name of Object.keys(storage)) if (name.startsWith("margay.")) storage.removeItem(name);
  } else localStorage.removeItem(STORED);
}
