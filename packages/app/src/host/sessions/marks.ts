/** What the operator noted about sessions: titles, folders, pins, archive, trash. Beside the journals; they stay untouched. */
import {
  changeDoc,
  endOfTick,
  keepAside,
  parsedDoc,
  parseJson,
  isRecord,
  type Docs,
  type Millis,
  type SessionId,
} from "@margay/core/internal";

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
  /** It holds from here on, and is durable when it resolves. An empty mark is forgotten. */
  change(id: SessionId, change: (mark: Mark) => Mark): Promise<void>;
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

const NAME = "gateway/sessions.json";
const NO_MARKS: ReadonlyMap<SessionId, Mark> = new Map();

interface Change {
  readonly id: SessionId;
  readonly make: (mark: Mark) => Mark;
}

/** What is damaged is moved aside: marks are a convenience, conversations are not lost. */
export function openMarks(docs: Docs): Marks {
  // Of a machine without a file handle left, say: lists and commits go on with what was read last.
  const read = parsedDoc(docs, NAME, (body) => marksIn(body) ?? NO_MARKS, NO_MARKS);
  /** As read in this turn of the event loop: a list asks for thousands. */
  let now: ReadonlyMap<SessionId, Mark> | undefined;
  const written = (): ReadonlyMap<SessionId, Mark> => {
    if (now === undefined) {
      now = read();
      void endOfTick().then(() => (now = undefined));
    }
    return now;
  };
  /** On their way: whoever has said something sees it. */
  const changing = new Set<Change>();
  return {
    of: (id) => {
      const before = written().get(id) ?? NONE;
      if (changing.size === 0) return before;
      return [...changing].reduce((mark, change) => (change.id === id ? change.make(mark) : mark), before);
    },
    all: written,
    change: async (id, make) => {
      const change = { id, make };
      changing.add(change);
      try {
        await keepAside(docs, [NAME, `${NAME}.damaged`], (body) => marksIn(body) === undefined);
        await changeDoc(docs, NAME, (body) => [withChange(body, change), undefined]);
      } finally {
        changing.delete(change);
        now = undefined;
      }
    },
  };
}

function withChange(body: string | undefined, { id, make }: Change): string {
  const marks = new Map(marksIn(body));
  const mark = make(marks.get(id) ?? NONE);
  if (Object.keys(mark).length === 0) marks.delete(id);
  else marks.set(id, mark);
  return `${JSON.stringify(Object.fromEntries(marks), undefined, 1)}\n`;
}

/** Undefined: it is damaged. */
function marksIn(body: string | undefined): ReadonlyMap<SessionId, Mark> | undefined {
  const value = body === undefined ? {} : parseJson(body);
  return isRecord(value) ? new Map(Object.entries(value as Record<string, Mark>) as [SessionId, Mark][]) : undefined; // written above
}
