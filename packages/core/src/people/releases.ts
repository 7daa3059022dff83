/**
 * What belongs to one person and would be told to another: asked of them in their own chat, and told by a yes. Each step is in the
 * journal of who is asked before the next one: the question, the answer, and that what it brings has happened.
 */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Control, MessageBus } from "../contract/bus.ts";
import type { Address, Sender, TextPart } from "../contract/message.ts";
import type { Release, Share } from "../contract/grant.ts";
import type { JournalRecord, ReplyQuestion } from "../contract/record.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { AskedRelease, Session } from "../contract/session.ts";
import { createSerial, type Serial } from "../lib/async/serial.ts";
import { readersTo } from "../lib/audience.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { isOpenRelease, isUnanswered } from "../lib/approval-choices.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { nameOfReader } from "./persons.ts";
import { readerAt, readerOf } from "./readers.ts";
import { codeOf } from "./release-code.ts";
import { answerText, releaseText } from "./release-text.ts";

export interface ReleasesOptions {
  readonly people: Pick<PeopleOptions, "audienceAt" | "contact" | "persons" | "shares">;
  readonly open: (key: string, origin: Address) => Promise<Session>;
  readonly send: MessageBus["send"];
  /** Of a question in that chat. Undefined: its platform has none. */
  readonly buttons: (
    to: Address,
    question: Omit<ReplyQuestion, "actions"> & { readonly lasting?: boolean },
  ) => ReplyQuestion | undefined;
  readonly hash: (text: string) => string;
  readonly language: () => AgentSettings["language"];
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

type Owner = Release["next"][number];

/** What would be told, to whom, and whose word it needs. */
export interface Wanted extends Omit<Release, keyof Owner | "code" | "hash" | "expiresAt" | "next"> {
  readonly of: readonly Owner[];
}

type Answer = Extract<Control, { type: "allow" | "deny" }>;
type Closed = Extract<JournalRecord, { type: "release.closed" }>["because"];

export interface Releases {
  /** Once per text and reader. @returns false: they have no chat any more. */
  ask(wanted: Wanted): Promise<boolean>;
  /** @param also what is committed with the answer. @returns false: it was not this word that answered. */
  answer(
    session: Session,
    id: string,
    action: Answer,
    by: Sender,
    also: () => readonly JournalRecord[],
  ): Promise<boolean>;
  /** What an earlier process left. */
  takeUp(session: Session): void;
}

/** For so long a question stays open, and what was asked is not asked again. */
const RELEASE_MS: Millis = 24 * 3_600_000;
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
    takeUp: (session) => {
      for (const { id, verdict } of (session.state.releases ?? []).filter(isOpenRelease))
        if (verdict === "allow") void finish(all, session, id);
      watch(all, session);
    },
  };
}

async function ask(all: All, { of, ...wanted }: Wanted): Promise<boolean> {
  const { people, open } = all.options;
  const [first, ...next] = of;
  const chat = first && (await people.contact(first.of));
  if (first === undefined || chat === undefined) return false;
  const key = sessionKeyOf(chat);
  const session = await open(key, chat);
  const done = await all.alone(key, async () => {
    if (readerOf(session.state) !== first.of) return undefined; // somebody else came into it meanwhile
    const isShared = await put(all, session, chat, { ...wanted, ...first, next });
    watch(all, session);
    return { isShared };
  });
  if (done?.isShared === true) await finish(all, session, wanted.id);
  return done !== undefined;
}

/** @returns whether they let it go for always: then nothing is asked. */
async function put(
  { options: { people, hash, clock, language, buttons } }: All,
  session: Session,
  chat: Address,
  wanted: Omit<Release, "code" | "hash" | "expiresAt">,
): Promise<boolean> {
  const { releases = [] } = session.state;
  const { id, of, parts, session: target, reader, question = "" } = wanted;
  const bound = hash(canonicalJson({ of, parts, session: target, reader, question }));
  const now = clock.now();
  const isShared = isSharedBy(people.shares?.list(of), wanted);
  const isOver = (each: AskedRelease): boolean => each.expiresAt <= now || (isShared && each.verdict === "allow");
  if (releases.some((each) => each.id === id || (each.hash === bound && !isOver(each)))) return false;
  const release: Release = { ...wanted, code: codeOf(bound, releases), hash: bound, expiresAt: now + RELEASE_MS };
  const { code: call, expiresAt, lasting } = release;
  if (isShared) {
    const answer = { verdict: "allow", by: of, remember: "always" } as const;
    await session.commit(
      { type: "release.asked", ...release },
      { type: "release.answered", release: id, hash: bound, ...answer },
    );
    return true;
  }
  const shown = buttons(chat, { call, hash: bound, expiresAt, lasting: lasting !== undefined });
  // Nothing was found: there is nothing that a button could send.
  const actions = shown?.actions.filter(({ verdict }) => parts.length > 0 || verdict === "deny") ?? [];
  await session.commit(
    { type: "release.asked", ...release },
    {
      type: "reply.queued",
      reply: `${id}:release:${of}`,
      to: chat,
      kind: "approval",
      parts: [{ type: "text", text: releaseText(release, language(), people) }],
      marks: { readers: [readersTo([of], of)] }, // for nobody else who may read there by the time it leaves
      ...(shown !== undefined && { question: { ...shown, actions } }),
    },
  );
  return false;
}

/** All that it was made of, by what stands there now. */
function isSharedBy(
  shares: readonly Share[] = [],
  { lasting = [], reader }: Pick<Release, "lasting" | "reader">,
): boolean {
  return (
    lasting.length > 0 && lasting.every((hash) => shares.some((each) => each.hash === hash && each.reader === reader))
  );
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
  const { type: verdict } = action;
  const own = verdict === "allow" ? ownWords(action.words, asked, all.options) : undefined;
  if (verdict === "allow" && own === undefined && asked.parts.length === 0) return false;
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
  if (isLasting) shares.save(lasting.map((hash, at) => ({ of, reader, hash, shown: sources[at] ?? "" })));
  const { hash } = asked;
  const said = { ...(own !== undefined && { own }), ...(isLasting && { remember: "always" as const }) };
  await session.commit({ type: "release.answered", release: id, hash, verdict, by: by.id, ...said }, ...also());
  return true;
}

/** Theirs alone: nobody else has to be asked. */
function ownWords(
  words: string | undefined,
  { of, reader, question }: Release,
  { people, language }: Pick<ReleasesOptions, "people" | "language">,
): Pick<Release, "parts" | "marks"> | undefined {
  const said = words?.trim() ?? "";
  if (said === "") return undefined;
  const text = question === undefined ? said : answerText(nameOfReader(of, people), said, language());
  const parts: readonly TextPart[] = [{ type: "text", text }];
  return { parts, marks: { integrity: "untrusted", readers: [readersTo([of, reader], of)] } };
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
    return (await ask(all, { id, to, reader, parts, marks, from, session, ...more, of: next })) ? "asked" : "void";
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

function found({ state }: Session, id: string): AskedRelease | undefined {
  return state.releases?.find((each) => each.id === id);
}
