/** Which chat is renamed in its header: by a click on the title, its menu, or F2 from anywhere. */
import { signal } from "@preact/signals";

export const renaming = signal<string | undefined>(undefined);

export function rename(session: string): void {
  renaming.value = session;
}
