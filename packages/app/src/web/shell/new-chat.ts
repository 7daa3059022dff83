/** A new chat is a place to write: its session is made by the first message. */
import { signal } from "@preact/signals";
import { navigate } from "../lib/route.ts";
import { drawerOpen } from "./layout.ts";

/** Counts the chats that were asked for: each is a fresh one. */
export const fresh = signal(0);

export function startNewChat(): void {
  fresh.value += 1;
  drawerOpen.value = false;
  navigate({ page: "chat", session: undefined });
}
