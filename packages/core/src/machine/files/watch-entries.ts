/** Told when entries of a directory may have changed. An atomic save replaces a file, and with it a watch on the file itself. */
import { watch } from "node:fs";

/** @param look Also called when the directory is gone. */
export function watchEntries(directory: string, names: readonly string[], look: () => void): Disposable {
  const watcher = watch(directory, { persistent: false }, (_event, name) => {
    if (name === null || names.includes(name)) look();
  });
  watcher.on("error", look);
  return { [Symbol.dispose]: () => watcher.close() };
}
