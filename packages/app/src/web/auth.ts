/** Who this page is to the gateway: the key half of the login, and whether it still holds. */
import { signal } from "@preact/signals";
import type { z } from "zod";
import type { PersonLoginSchema } from "../protocol/common.ts";

const STORED = "margay.key";

export type PersonLogin = z.infer<typeof PersonLoginSchema>;

/** `unknown` until the first answer; `signed-out` shows the way back in over whatever is open. */
export const login = signal<"unknown" | "in" | "out" | "signed-out">("unknown");

/** Whose login it is, beside the owner, and all that it may ask for, as the gateway said. */
export const person = signal<PersonLogin | undefined>(undefined);

/** @param what An operation of the API, or a command with its slash. What would be refused is not offered. */
export function may(what: string): boolean {
  const { operations, commands } = person.value ?? {};
  return (what[0] === "/" ? commands?.includes(what.slice(1)) : operations?.includes(what)) ?? true;
}

/** Whether the password is a way in; false: none was ever set, and a link of the terminal is the only one. */
export const hasPassword = signal(true);

export function loginKey(): string | null {
  return localStorage.getItem(STORED);
}

/** What a gateway answers who comes in. */
export interface Granted {
  readonly key: string;
  readonly person?: PersonLogin;
}

/** What is offered is known before anything is. */
export function keepKey({ key, person: whose }: Granted): void {
  person.value = whose;
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
