/** The files as a backup reads and writes them. */
import type { Call } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { memoryFiles, readMemoryFile, writeMemoryFile } from "./files.ts";
import { keepVersion } from "./versions.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "signal" | "language">;

export function sharedFiles(services: Services) {
  return memoryFiles(services).map((file) => ({
    name: file.name,
    read: (signal: AbortSignal) => readMemoryFile(file, services, signal),
    write: async (text: string, before: string, caller: Caller): Promise<void> => {
      keepVersion(file, before, services.app);
      await writeMemoryFile(file, text, before, caller);
    },
  }));
}
