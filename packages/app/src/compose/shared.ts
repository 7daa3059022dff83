/** The folder that the persons of a home share: where it lies, whose word a file in it is, and the way back. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openUndo, type fileTools } from "@margay/core/builtin";
import {
  HOUSEHOLD,
  insideMount,
  openFileWriters,
  type PeopleOptions,
  type PersonId,
  readersTo,
  safeFiles,
  type TurnUndo,
  type Undo,
  withFolder,
} from "@margay/core/internal";
import { hasCode, type ToolRegistry } from "@margay/core";
import type { Loaded } from "../config/load.ts";
import { membersOf } from "../host/members.ts";
import { OWNER } from "../host/people.ts";
import { sharedFolder, workspaceWithShared } from "../host/spaces.ts";
import type { Ground } from "./ground.ts";

type SharedFolder = NonNullable<Parameters<typeof fileTools>[0]["shared"]>;

export interface Shared {
  /** For the file tools of a person. */
  readonly of: (person: PersonId) => SharedFolder;
  /** For who judges what is written there. */
  readonly files: NonNullable<PeopleOptions["shared"]>;
  /** What the prompt says of it, to who can open files. */
  readonly line: (tools: ToolRegistry) => string;
  /** With what was changed there. */
  readonly undo: (own: TurnUndo) => TurnUndo;
  /** Of what was changed there. Undefined: nothing was. */
  readonly copies: () => Undo | undefined;
}

const NAME = "shared";
const LINE = `${NAME}/ (for file tools) is the household's folder, which every person of this home reads and changes: what they keep together, such as a shopping list, belongs there.`;
/** Of a file that is larger no word is known when somebody changes it. */
const COMPARED_BYTES = 1024n * 1024n;

/** Made with the first word that is written there; a home of one person has none. */
export async function openShared({ options: { loaded }, current, clock, log }: Ground): Promise<Shared> {
  const { folder: root, state } = sharedFolder(loaded.places);
  const protect = [loaded.places.home];
  const { isAlone } = membersOf(() => current.loaded.config);
  const isThere = (): boolean => !isAlone();
  const files = safeFiles({ root, restrict: true, protect });
  if (existsSync(root)) await files.cleanUp();
  const writers = openFileWriters(state);
  const directory = join(state, "undo");
  const undo = openUndo({ ...limitsOf(loaded), directory, workspace: root, protect, clock, log });
  const copies = (): Undo | undefined => (existsSync(directory) ? undo : undefined);
  const readers = [readersTo([HOUSEHOLD], OWNER)];
  return {
    of: (by) => ({ root, as: NAME, isThere, writers, by, readers, beforeWrite: undo.writing }),
    files: {
      at: (of, path) => {
        const workspace = workspaceWithShared(current.loaded, of);
        return workspace === undefined ? undefined : insideMount(path, workspace, NAME);
      },
      text: async (path) => {
        try {
          if (!existsSync(root)) return undefined;
          using file = await files.read(path);
          return file.stats.size > COMPARED_BYTES ? "" : (await file.bytes()).toString("utf8");
        } catch (error) {
          if (hasCode(error, "tool.refused")) return undefined;
          throw error;
        }
      },
    },
    line: (tools) =>
      isThere() && ["read_file", "write_file"].some((name) => tools.get(name) !== undefined) ? LINE : "",
    undo: (own) => withFolder(own, { undo: copies, as: NAME }),
    copies,
  };
}

function limitsOf({
  config,
}: Loaded): Omit<Parameters<typeof openUndo>[0], "directory" | "workspace" | "protect" | "clock" | "log"> {
  const { maxMegabytes, maxFileMegabytes, keepTurns, keepDays, exclude } = config.tools.undo;
  return {
    maxBytes: maxMegabytes * 1024 * 1024,
    maxFileBytes: maxFileMegabytes * 1024 * 1024,
    keepTurns,
    keepDays,
    exclude,
  };
}
