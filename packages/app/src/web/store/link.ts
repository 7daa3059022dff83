/** The connection of this page, opened once after the login. */
import { signal } from "@preact/signals";
import { openConnection, type Connection } from "../connection.ts";

const current = signal<Connection | undefined>(undefined);

/** @throws Error before the login: nothing that needs the line is drawn then. */
export function link(): Connection {
  const open = current.value;
  if (open === undefined) throw new Error("not connected");
  return open;
}

export function openLink(): Connection {
  current.value?.close();
  const open = openConnection();
  current.value = open;
  return open;
}

export function closeLink(): void {
  current.value?.close();
  current.value = undefined;
}
