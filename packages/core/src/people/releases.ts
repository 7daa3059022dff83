/**
 * What belongs to one person and would be told to another: asked of them in their own chat, and told by a yes. Each step is in the
 * journal of who is asked before the next one: the question, the answer, and that what it brings has happened.
 */
import type { Logger, Millis } from "../contract/base.ts";
import type { Control, MessageBus } from "../contract/bus.ts";
import type { Release } from "../contract/grant.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { AskedRelease, Session } from "../contract/session.ts";
import { createSerial, type Serial } from "../lib/async/serial.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { isOpenRelease, isUnanswered } from "../lib/approval-choices.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { readerAt, readerOf } from "./readers.ts";
import { type PutOptions, putRelease } from "./put-release.ts";
import { ownWords } from "./release-text.ts";

export interface ReleasesOptions extends PutOptions {
  readonly open: (key: string, origin: Address) => Promise<Session>;
  readonly send: MessageBus["send"];
  /** Looks what became of a call of another conversation; with an answer it is given first, where it still counts. */
  readonly decide: (
    release: AskedRelease,
    given?: { readonly verdict: "allow" | "deny"; readonly by: Sender },
  ) => Promise<Became>;
  readonly people: Pick<PeopleOptions, "audienceAt" | "contact" | "persons" | "shares" | "titleOf">;
  readonly log: Logger;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

type Owner = Release["next"][number];

/** What would be told, to whom, and whose word it needs. */
export interface Wanted extends Omit<Release, keyof Owner | "code" | "hash" | "expiresAt" | "next"> {
  readonly of: readonly Owner[];
  /** Of a call: what its answer is bound to, and the chat to ask in. */
  readonly bound?: string;
  readonly at?: Address;
}

type Answer = Extract<Control, { type: "allow" | "deny" }>;
type Closing = Extract<JournalRecord, { type: "release.closed" }>;
type Closed = Closing["because"];

/** What became of a call that was asked: it waits, its turn has gone on without, or its question is over. */
export type Became = "waits" | "late" | Pick<Closing, "because" | "answer">;

export interface Releases {
  /** Once per text and reader. @returns where; undefined: they have no chat any more, or too much of that conversation waits there. */
  ask(wanted: Wanted): Promise<Session | undefined>;
  /** @param also what is committed with the answer. @returns false: it was not this word that answered. */
  answer(
    session: Session,
    id: string,
    action: Answer,
    by: Sender,
    also: () => readonly JournalRecord[],
  ): Promise<boolean>;
  /** Closes the question of a call that was answered elsewhere, or is gone. */
  settle(session: Session, id: string): Promise<void>;
  /** What an earlier process left. */
  takeUp(session: Session): void;
}

/** After a full disk: what a yes brings is tried again. */
const AGAIN_MS: Millis = 60_000;
interface All {
  readonly options: ReleasesOptions;
  /** One after the other in each chat that is asked, and for each text that goes out. */
  readonly alone: Serial;
  /** Of the next question that nobody answered in time, by conversation; of a yes that could not be carried out, by its place there. */
  readonly timers: Map<string, Disposable>;
}

export function createReleases(options: ReleasesOptions): Releases {
  const all: All = { options, alone: createSerial(), timers: new Map() };
  options.closing.addEventListener("abort", () => {
    for (const timer of all.timers.values()) timer[Symbol.dispose]();
    all.timers.clear();
  });
  return {
    ask: (wanted) => ask(all, wanted),
    answer: async (session, id, action, by, also) => {
      const done = await all.alone(session.state.key, () => answer(all, session, id, action, by, also));
      // Not while its chat is held: the next owner may be asked in the same one.
      if (done) await finish(all, session, id);
      watch(all, session);
      return done;
    },
    settle: (session, id) => settle(all, session, id),
    takeUp: (session) => {
      for (const { id, verdict, asks } of (session.state.releases ?? []).filter(isOpenRelease))
        if (asks !== undefined) void settle(all, session, id).catch(failed(all, session));
        else if (verdict === "allow") void finish(all, session, id);
      watch(all, session);
    },
  };
}

async function ask(all: All, { of, at, ...wanted }: Wanted): Promise<Session | undefined> {
  const { people, open } = all.options;
  const [first, ...next] = of;
  const chat = at ?? (first && (await people.contact(first.of)));
  if (first === undefined || chat === undefined) return undefined;
  const key = sessionKeyOf(chat);
  const session = await open(key, chat);
  const done = await all.alone(key, async () => {
    if (readerOf(session.state) !== first.of) return "kept"; // somebody else came into it meanwhile
    const done = await putRelease(all.options, session, chat, { ...wanted, ...first, next });
    watch(all, session);
    return done;
  });
  if (done === "shared") await finish(all, session, wanted.id);
  return done === "kept" ? undefined : session;
}

async function answer(
  all: All,
  session: Session,
  id: string,
  action: Answer,
  by: Sender,
  also: () => readonly JournalRecord[],
): Promise<boolean> {
  const asked = found(session, id);
  if (asked === undefined || !isUnanswered(asked) || asked.expiresAt <= all.options.clock.now()) return false;
  if (action.hash !== undefined && action.hash !== asked.hash) return false;
  if (asked.asks !== undefined) return answerCall(all, session, asked, { verdict: action.type, by }, also);
  const { type: verdict } = action;
  const own = verdict === "allow" ? ownWords(action.words, asked, all.options) : undefined;
  if (verdict === "allow" && own === undefined && asked.parts.length === 0) return false;
  if (own !== undefined && asked.blind === true) return false; // they are asked for nothing of their own
  const remember = verdict === "allow" ? action.remember : undefined;
  const { lasting, sources, of, reader } = asked;
  const { shares } = all.options.people;
  const isLasting = remember === "always" && own === undefined && lasting !== undefined && shares !== undefined;
  if (remember !== undefined && !isLasting) return false;
  if (verdict === "allow" && !(await isForReader(all, asked))) {
    await session.commit({ type: "release.closed", release: id, because: "void" });
    return false;
  }
  // Before the answer: a yes that forgot what it said would be a lie.
  if (isLasting) await shares.save(lasting.map((hash, at) => ({ of, reader, hash, shown: sources[at] ?? "" })));
  const { hash } = asked;
  const said = { ...(own !== undefined && { own }), ...(isLasting && { remember: "always" as const }) };
  const answered: JournalRecord = { type: "release.answered", release: id, hash, verdict, by: by.id, ...said };
  const stored = await session.commitIf((now) => {
    const still = found(now, id);
    return still !== undefined && isUnanswered(still) ? [answered, ...also()] : undefined;
  });
  return stored !== undefined;
}

/** The journal of its own conversation is where a call is answered: this one says what became of it there. */
async function answerCall(
  { options: { decide } }: All,
  session: Session,
  asked: AskedRelease,
  given: { readonly verdict: "allow" | "deny"; readonly by: Sender },
  also: () => readonly JournalRecord[],
): Promise<boolean> {
  const became = await decide(asked, given);
  if (typeof became === "string") return false;
  const isTheirs = became.answer?.by === given.by.id && became.answer.verdict === given.verdict;
  await session.commit({ type: "release.closed", release: asked.id, ...became }, ...(isTheirs ? also() : []));
  return isTheirs;
}

async function settle(all: All, session: Session, id: string): Promise<void> {
  await all.alone(session.state.key, async () => {
    const asked = found(session, id);
    if (asked?.asks === undefined || asked.closed === true) return;
    const { verdict, by } = asked; // recorded by a command, which is no place for what comes of it
    const given = verdict && by !== undefined ? { verdict, by: { id: by, kind: "person" as const } } : undefined;
    const became = await all.options.decide(asked, given);
    if (typeof became !== "string") await session.commit({ type: "release.closed", release: id, ...became });
  });
  watch(all, session);
}

/** Whether the same are still to read it there. */
async function isForReader({ options: { people } }: All, { to, reader }: Release): Promise<boolean> {
  return readerAt(await people.audienceAt(to), to) === reader;
}

/** What a yes brings; also again, after a crash in between. */
function finish(all: All, session: Session, id: string): Promise<void> {
  const place = `${session.state.key}\n${id}`;
  return all.alone(place, async () => {
    const release = found(session, id);
    if (release?.verdict !== "allow" || release.closed === true) return;
    await carryOut(all, release)
      .then((because) => session.commit({ type: "release.closed", release: id, because }))
      .catch((error: unknown) => {
        failed(all, session)(error);
        const { timers, options } = all;
        const again = (): void => void (timers.delete(place) && finish(all, session, id));
        if (!options.closing.aborted) timers.set(place, options.clock.timer(AGAIN_MS, again));
      });
  });
}

async function carryOut(all: All, release: AskedRelease): Promise<Closed> {
  const { id, to, reader, parts, marks, from, question, session, next } = release;
  if (!(await isForReader(all, release))) return "void";
  const more = question !== undefined && { question };
  if (next.length > 0)
    return (await ask(all, { id, to, reader, parts, marks, from, session, ...more, of: next })) !== undefined
      ? "asked"
      : "void";
  const sender: Sender = { id: "message", kind: "agent" };
  await all.options.send(session, { reply: id, to, kind: "message", parts, from: sender, marks });
  return "sent";
}

/** Over when nobody answered in time: its buttons go. */
function watch(all: All, session: Session): void {
  const { timers, options } = all;
  const { key, releases = [] } = session.state;
  timers.get(key)?.[Symbol.dispose]();
  timers.delete(key);
  const waiting = releases.filter(isUnanswered);
  if (waiting.length === 0 || options.closing.aborted) return;
  const next = Math.min(...waiting.map(({ expiresAt }) => expiresAt));
  const late = (): void => void expire(all, session).catch(failed(all, session));
  timers.set(key, options.clock.timer(Math.max(0, next - options.clock.now()), late));
}

async function expire(all: All, session: Session): Promise<void> {
  await all.alone(session.state.key, async () => {
    const now = all.options.clock.now();
    const over = (session.state.releases ?? []).filter((each) => isUnanswered(each) && each.expiresAt <= now);
    const closed = over.map(({ id }): JournalRecord => ({ type: "release.closed", release: id, because: "over" }));
    if (closed.length > 0) await session.commit(...closed);
  });
  watch(all, session);
}

function failed({ options: { closing, log } }: All, { state }: Session): (error: unknown) => void {
  return (error) => {
    if (!closing.aborted) log.error("release.failed", { session: state.id, message: messageOf(error) });
  };
}

function found({ state }: Pick<Session, "state">, id: string): AskedRelease | undefined {
  return state.releases?.find((each) => each.id === id);
}
