/** Calls of groups, guests and members that need an operator's word: each is asked in a private chat of an operator, once, and closed with its call. */
import type { Logger } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import type { PersonId } from "../contract/people.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { CallState, Session, TurnState } from "../contract/session.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { OWNER } from "../lib/audience.ts";
import { marksOf } from "../lib/labels.ts";
import { readerOf } from "./readers.ts";
import type { Releases } from "./releases.ts";

export interface AskedCallsOptions {
  readonly people: Pick<PeopleOptions, "asked" | "contact" | "persons" | "roleOf">;
  readonly releases: Pick<Releases, "ask" | "settle">;
  readonly log: Logger;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

export interface AskedCalls {
  /** At a session that was opened, and after each of its records: what its calls ask is put where it belongs. */
  look(session: Session): void;
  readonly busy: boolean;
  /** Resolves when all that was looked at is where it belongs. */
  idle(): Promise<void>;
}

type Asked = Extract<CallState, { status: "asked" }>;

/** Where its question stands: the conversation of who is asked. Undefined: on the pages alone. */
interface Place {
  readonly id: string;
  readonly there: Promise<Session | undefined>;
}

export function createAskedCalls(options: AskedCallsOptions): AskedCalls {
  const { releases, log, closing } = options;
  const placed = new WeakMap<Session, Map<string, Place>>();
  const work = new Set<Promise<unknown>>();
  const follow = <Value>(session: Session, task: Promise<Value>, again?: () => void): Promise<Value | undefined> => {
    const done = task
      .catch((error: unknown) => {
        again?.(); // at its next record, or by the next process
        if (!closing.aborted) log.error("question.failed", { session: session.state.id, message: messageOf(error) });
        return undefined;
      })
      .finally(() => work.delete(done));
    work.add(done);
    return done;
  };
  const look = (session: Session): void => {
    const { turn } = session.state;
    const known = placed.get(session) ?? new Map<string, Place>();
    const open = (turn?.calls ?? []).filter((item): item is Asked => item.status === "asked" && item.of === OWNER);
    for (const item of open) {
      if (turn === undefined || known.has(item.hash)) continue;
      placed.set(session, known);
      const id = `${session.state.id}-${item.call.callId}-${item.hash.slice(0, 8)}`;
      const there = follow(session, put(session, turn, item, id, options), () => known.delete(item.hash));
      known.set(item.hash, { id, there });
    }
    for (const [hash, { id, there }] of known) {
      if (open.some((item) => item.hash === hash)) continue;
      known.delete(hash);
      const settled = async (): Promise<void> => {
        const asked = await there;
        if (asked !== undefined) await releases.settle(asked, id);
      };
      void follow(session, settled());
    }
  };
  return {
    look,
    get busy() {
      return work.size > 0;
    },
    idle: async () => {
      while (work.size > 0) await Promise.all(work);
    },
  };
}

async function put(
  { state }: Session,
  { id: turn, replyTo: to }: TurnState,
  { call, prompt, hash }: Asked,
  id: string,
  { people, releases }: AskedCallsOptions,
): Promise<Session | undefined> {
  const chosen = await operatorFor(to, people);
  if (chosen === undefined) {
    people.asked?.unseen({ id, session: state.key });
    return undefined;
  }
  const reader = readerOf(state);
  return releases.ask({
    ...{ id, session: state.key, to, reader, from: reader, marks: marksOf(state.label) },
    parts: [{ type: "text", text: prompt }],
    asks: { turn, call: call.callId, name: call.name },
    of: [{ of: chosen.of, sources: [] }],
    ...{ bound: hash, at: chosen.at },
  });
}

/** On the same platform before any other, and the owner before who else may decide. */
async function operatorFor(
  { channel }: Address,
  { contact, persons, roleOf }: AskedCallsOptions["people"],
): Promise<{ readonly of: PersonId; readonly at: Address } | undefined> {
  const others = persons().flatMap(({ person }) => (person !== OWNER && roleOf(person) === "operator" ? [person] : []));
  for (const where of [channel, undefined])
    for (const of of [OWNER, ...others]) {
      const at = await contact(of, where);
      if (at !== undefined) return { of, at };
    }
  return undefined;
}
