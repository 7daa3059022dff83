/** The files as a backup reads and writes them: the owner's, and those in the rooms of other persons. */
import { join } from "node:path";
import { makeDirectory, readTextFile, replaceFile, safeFiles } from "@margay/core/internal";
import { isPersonId } from "../../config/people-faults.ts";
import type { Call } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { OWNER } from "../../host/people.ts";
import { roomStateOf, spaceOf } from "../../host/spaces.ts";
import { memoryFiles, readMemoryFile, writeMemoryFile } from "./files.ts";
import { keepVersion } from "./versions.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "signal" | "language">;

/** @param persons Beside the owner, those of a backup too. */
export function sharedFiles(services: Services, persons: readonly string[]) {
  const home = services.app.inside.holdingsOf(undefined);
  const owners = memoryFiles({ services, credential: undefined }).map((file) => ({
    name: file.name,
    read: (signal: AbortSignal) => readMemoryFile(file, home, signal),
    write: async (text: string, before: string, caller: Caller): Promise<void> => {
      keepVersion(file, before, home);
      await writeMemoryFile(file, text, before, home, caller);
    },
  }));
  const theirs = persons
    .filter((person) => person !== OWNER && isPersonId(person))
    .flatMap((person) =>
      ["USER.md", "memory/MEMORY.md", "memory/HISTORY.md"].map((path) => fileOf(services, person, path)),
    );
  return [...owners, ...theirs];
}

function fileOf({ app }: Services, person: string, path: string) {
  const { places } = app.inside.loaded();
  const space = spaceOf(places, person);
  return {
    name: `people/${person}/${path}`,
    read: async (signal: AbortSignal) => (await readTextFile(space)(path, signal)) ?? "",
    write: async (text: string, before: string): Promise<void> => {
      const versions = join(roomStateOf(places, person), "memory");
      makeDirectory(versions);
      if (before !== "") replaceFile(join(versions, `before-import.${path.replace("/", ".")}`), before);
      makeDirectory(space);
      await safeFiles({ root: space, restrict: true, protect: [] }).write(path, Buffer.from(text));
    },
  };
}
