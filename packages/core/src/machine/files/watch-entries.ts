/** Told when entries of a directory may have changed. An atomic save replaces a file, and with it a watch on the file itself. */
import { watch } from "node:fs";

/** @param look With the name of an entry; without one when it may be any of them, also when the directory is gone. */
export function watchEntries(directory: string, look: (name: string | undefined) => void): Disposable {
  const watcher = watch(directory, { persistent: false }, (_event, name) => look(name ?? undefined));
  watcher.on("error", () => look(undefined));
  return { [Symbol.dispose]: () => watcher.close() };
}
