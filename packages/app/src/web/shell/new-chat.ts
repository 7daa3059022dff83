/** A new chat is a place to write: its session is made by the first message. */
import { signal } from "@preact/signals";
import { navigate } from "../lib/route.ts";
import type { Begins } from "../store/outgoing.ts";
import { drawerOpen, isPhone } from "./layout.ts";

/** Counts the chats that were asked for: each is a fresh one. */
export const fresh = signal(0);

const next = { begins: "new" as Begins };

/** What a chat becomes with its first message: asked once, when it is made. */
export function takeBegins(): Begins {
  const { begins } = next;
  next.begins = "new";
  return begins;
}

/** Kept as long as it goes on. */
export function startTemporaryChat(): void {
  next.begins = "temporary";
  startNewChat();
}

export function startNewChat(): void {
  fresh.value += 1;
  drawerOpen.value = false;
  // On a phone a page would cover it.
  navigate({ page: "chat", session: undefined, ...(isPhone.value && { panel: undefined }) });
}
