/** What the operator noted about sessions: titles, folders, pins, archive, trash. A file beside the journals; they stay untouched. */
import { join } from "node:path";
import { makeDirectory, readIfExists, replaceFile, type Millis, type SessionId } from "@margay/core/internal";

export interface Mark {
  readonly title?: string;
  /** Made of its first turn (`titles.ts`); what somebody writes holds over it. */
  readonly made?: string;
  /** Its name: a folder is there as long as a conversation is in it. */
  readonly folder?: string;
  readonly pinned?: true;
  readonly archived?: true;
  /** When it was put into the trash. */
  readonly trashedAt?: Millis;
}

export interface Marks {
  of(id: SessionId): Mark;
  all(): ReadonlyMap<SessionId, Mark>;
  /** Durable when it returns. An empty mark is forgotten. */
  set(id: SessionId, mark: Mark): void;
}

/** What a list calls it: as somebody has written it, as it was made, else its first line. */
export function titleOf({ title, made }: Mark, session: { readonly title: string }): string {
  return title ?? made ?? session.title;
}

/** What somebody sets; `null` takes it away, what is absent stays. */
export interface MarkChange {
  readonly title?: string | null | undefined;
  readonly folder?: string | null | undefined;
  readonly pinned?: boolean | undefined;
  readonly archived?: boolean | undefined;
}

/** The mark with the change in it. */
export function remarked(mark: Mark, change: MarkChange): Mark {
  const { title, folder, pinned, archived, ...rest } = mark;
  const [named, filed] = [kept(title, change.title), kept(folder, change.folder)];
  return {
    ...rest,
    ...(named !== undefined && { title: named }),
    ...(filed !== undefined && { folder: filed }),
    ...((change.pinned ?? pinned) === true && { pinned: true }),
    ...((change.archived ?? archived) === true && { archived: true }),
  };
}

function kept(was: string | undefined, next: string | null | undefined): string | undefined {
  return next === undefined ? was : (next ?? undefined);
}

const NONE: Mark = {};

/** `{home}/gateway/sessions.json`. A damaged file is moved aside: marks are a convenience, conversations are not lost. */
export function openMarks(home: string): Marks {
  const directory = join(home, "gateway");
  const path = join(directory, "sessions.json");
  const marks = load(path);
  return {
    of: (id) => marks.get(id) ?? NONE,
    all: () => marks,
    set: (id, mark) => {
      if (Object.keys(mark).length === 0) marks.delete(id);
      else marks.set(id, mark);
      makeDirectory(directory);
      replaceFile(path, `${JSON.stringify(Object.fromEntries(marks), undefined, 1)}\n`);
    },
  };
}

function load(path: string): Map<SessionId, Mark> {
  const text = readIfExists(path)?.toString("utf8");
  if (text === undefined) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, Mark>) as [SessionId, Mark][]); // written by set()
  } catch {
    replaceFile(`${path}.damaged`, text);
    return new Map();
  }
}
