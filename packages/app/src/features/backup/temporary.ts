/** What belongs to temporary conversations alone: no backup has it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { firstOf, isTemporary, journalsOf, TEMPORARY, type SessionId } from "@margay/core/internal";

/** Of a home, and of what the rooms of others and the shared folder keep. */
const OF_SESSION = /^(?:rooms\/[^/]+\/)?(?:sessions|exec|undo\/turns)\/([^/.]+)(?:[/.]|$)/;
/** Attachments, and contents that an undo puts back: by their hash. */
const CONTENT = /^(?:rooms\/[^/]+\/)?(?:blobs|undo)\/[0-9a-f]{2}\/([0-9a-f]+)$/;

/** @returns whether a path below the home is left out. Where there is no temporary conversation nothing is read. */
export async function temporaryIn(home: string): Promise<(path: string) => boolean> {
  const ids = await sessionsOf(home);
  if (ids.size === 0) return () => false;
  const files = textsOf(home);
  const own = hashesIn(files.filter(({ session }) => session !== undefined && ids.has(session)));
  // What another conversation names too is kept; and what is in the workspace now is no longer theirs alone.
  if (own.size > 0)
    for (const hash of hashesIn(files.filter(({ session }) => session === undefined || !ids.has(session))))
      own.delete(hash);
  return (path) => {
    const session = OF_SESSION.exec(path)?.[1];
    if (session !== undefined && ids.has(session)) return true;
    const content = CONTENT.exec(path);
    if (content === null) return false;
    const [, rest = ""] = content;
    return own.has(rest.length === 64 ? rest : path.slice(-rest.length - 3, -rest.length - 1) + rest);
  };
}

/** By the first line of each that is named so; one that cannot be read counts as its file is named. */
async function sessionsOf(home: string): Promise<ReadonlySet<string>> {
  const journals = journalsOf(home);
  const ids = new Set<string>();
  for (const id of await journals.list())
    if (id.includes(TEMPORARY) && (await isTemporaryAt(id, journals))) ids.add(id);
  return ids;
}

async function isTemporaryAt(id: SessionId, journals: ReturnType<typeof journalsOf>): Promise<boolean> {
  try {
    for await (const { records } of journals.read(id)) {
      const opened = firstOf(records, "session.opened");
      return opened !== undefined && isTemporary(opened.key);
    }
  } catch {
    return true;
  }
  return true;
}

interface Text {
  readonly file: string;
  /** Absent: of how the workspace is now. */
  readonly session?: string;
}

/** Journals, what turns changed, and what is in the workspace. */
function textsOf(home: string): readonly Text[] {
  const rooms = names(join(home, "rooms")).map((name) => join(home, "rooms", name));
  const journals = names(join(home, "sessions"))
    .filter((name) => name.endsWith(".journal"))
    .map((name) => ({ file: join(home, "sessions", name), session: name.slice(0, -".journal".length) }));
  const copies = [home, ...rooms].flatMap((state): readonly Text[] => {
    const turns = join(state, "undo", "turns");
    return [
      { file: join(state, "undo", "index.jsonl") },
      ...names(turns).flatMap((session) =>
        names(join(turns, session)).map((name) => ({ file: join(turns, session, name), session })),
      ),
    ];
  });
  return [...journals, ...copies];
}

function hashesIn(texts: readonly Text[]): Set<string> {
  const found = new Set<string>();
  for (const { file } of texts)
    for (const [hash] of read(file).matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) found.add(hash);
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // gone meanwhile, or never there
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is none
  }
}
