/**
 * What belongs to one person and would be told to another: asked of them in their own chat, and told by a yes. Each step is in the
 * journal of who is asked before the next one: the question, the answer, and that what it brings has happened.
 */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { CallId, Clock, Logger, Millis } from "../contract/base.ts";
import type { Control, MessageBus } from "../contract/bus.ts";
import type { Address, Sender, TextPart } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import type { JournalRecord, ReplyQuestion } from "../contract/record.ts";
import type { AskedRelease, Release, ReleaseOwner } from "../contract/release.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { Session } from "../contract/session.ts";
import { createSerial } from "../lib/async/serial.ts";
import { isUnanswered } from "../lib/approval-choices.ts";
import { readersTo } from "../lib/audience.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { isOpenRelease } from "../session/reduce-releases.ts";
import { readerAt } from "./readers.ts";
import { nameOfReader } from "./persons.ts";
import { answerText, releaseText } from "./release-text.ts";

export interface ReleasesOptions {
  readonly people: Pick<PeopleOptions, "audienceAt" | "contact" | "persons">;
  readonly open: (key: string, origin: Address) => Promise<Session>;
  readonly send: MessageBus["send"];
  /** Of a question in that chat. Undefined: its platform has none. */
  readonly buttons: (to: Address, question: Omit<ReplyQuestion, "actions">) => ReplyQuestion | undefined;
  readonly hash: (text: string) => string;
  readonly language: () => AgentSettings["language"];
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

/** What would be told, to whom, and whose word it needs. */
export interface Wanted extends Omit<Release, keyof ReleaseOwner | "code" | "hash" | "expiresAt" | "then"> {
  readonly of: readonly ReleaseOwner[];
}

type Answer = Extract<Control, { type: "allow" | "deny" }>;

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

const RELEASE_MS: Millis = 24 * 3_600_000;

export function createReleases(options: ReleasesOptions): Releases {
  const { people, open, send, buttons, hash, language, clock, log, closing } = options;
  const alone = createSerial();
  const timers = new Map<string, Disposable>();
  closing.addEventListener("abort", () => {
    for (const timer of timers.values()) timer[Symbol.dispose]();
    timers.clear();
  });

  const ask = async ({ of, ...wanted }: Wanted): Promise<boolean> => {
    const [first, ...then] = of;
    const chat = first && (await people.contact(first.of));
    if (first === undefined || chat === undefined) return false;
    const { of: person } = first;
    const key = sessionKeyOf(chat);
    await alone(key, async () => {
      const session = await open(key, chat);
      const { releases = [] } = session.state;
      const now = clock.now();
      const { parts, session: target, reader, id } = wanted;
      const bound = hash(
        canonicalJson({ of: person, parts, session: target, reader, question: wanted.question ?? "" }),
      );
      if (releases.some((each) => each.id === id || (each.hash === bound && each.expiresAt > now))) return;
      const code = codeOf(bound, releases);
      const expiresAt = now + RELEASE_MS;
      const release: Release = { ...wanted, ...first, code, hash: bound, expiresAt, then };
      const text = releaseText(release, language(), people);
      const question = buttons(chat, { call: code, hash: bound, expiresAt });
      // Nothing was found: there is nothing that a button could send.
      const actions = question?.actions.filter(({ verdict }) => parts.length > 0 || verdict === "deny") ?? [];
      await session.commit(
        { type: "release.asked", ...release },
        {
          type: "reply.queued",
          reply: `${id}:release:${person}`,
          to: chat,
          kind: "approval",
          parts: [{ type: "text", text }],
          ...(question !== undefined && { question: { ...question, actions } }),
        },
      );
      watch(session);
    });
    return true;
  };

  const readerNow = async ({ to }: Pick<Release, "to">): Promise<Audience> => readerAt(await people.audienceAt(to), to);

  /** What a yes brings; also again, after a crash in between. */
  const carryOut = async (session: Session, release: AskedRelease): Promise<void> => {
    const close = async (because: Extract<JournalRecord, { type: "release.closed" }>["because"]): Promise<void> => {
      await session.commit({ type: "release.closed", release: release.id, because });
    };
    const { id, to, reader, parts, marks, then, from, question, session: target } = release;
    if ((await readerNow(release)) !== reader) return close("void");
    if (then.length > 0) {
      const more = question !== undefined && { question };
      const wanted = { id, to, reader, parts, marks, from, session: target, ...more, of: then };
      return close((await ask(wanted)) ? "asked" : "void");
    }
    const sender: Sender = { id: "message", kind: "agent" };
    await send(target, { reply: id, to, kind: "message", parts, from: sender, marks });
    return close("sent");
  };

  const answerIn = ({ of, question }: Release, text: string): string =>
    question === undefined ? text : answerText(nameOfReader(of, people), text, language());

  const answer: Releases["answer"] = (session, id, action, by, also) =>
    alone(session.state.key, async () => {
      const asked = found(session, id);
      if (asked === undefined || !isUnanswered(asked) || asked.expiresAt <= clock.now()) return false;
      if (action.hash !== undefined && action.hash !== asked.hash) return false;
      const own = action.type === "allow" ? ownWords(action.words, asked, (text) => answerIn(asked, text)) : undefined;
      if (action.type === "allow") {
        if (own === undefined && asked.parts.length === 0) return false;
        if ((await readerNow(asked)) !== asked.reader) {
          await session.commit({ type: "release.closed", release: id, because: "void" });
          return false;
        }
      }
      const { type: verdict } = action;
      await session.commit({ type: "release.answered", release: id, verdict, by: by.id, ...own }, ...also());
      return true;
    }).then(async (done) => {
      // Not while its chat is held: the next owner may be asked in the same one.
      if (done) await finish(session, id);
      watch(session);
      return done;
    });

  const finish = (session: Session, id: string): Promise<void> =>
    alone(`${session.state.key}\n${id}`, async () => {
      const release = found(session, id);
      if (release?.verdict !== "allow" || release.closed === true) return;
      await carryOut(session, release).catch((error: unknown) => {
        if (!closing.aborted) log.error("release.failed", { session: session.state.id, message: messageOf(error) });
      });
    });

  /** Over when nobody answered in time: its buttons go. */
  const watch = (session: Session): void => {
    const { key, releases = [] } = session.state;
    timers.get(key)?.[Symbol.dispose]();
    timers.delete(key);
    const waiting = releases.filter(isUnanswered);
    if (waiting.length === 0 || closing.aborted) return;
    const next = Math.min(...waiting.map(({ expiresAt }) => expiresAt));
    const late = (): void =>
      void expire(session).catch((error: unknown) => {
        if (!closing.aborted) log.error("release.failed", { session: session.state.id, message: messageOf(error) });
      });
    timers.set(key, clock.timer(Math.max(0, next - clock.now()), late));
  };

  const expire = (session: Session): Promise<void> =>
    alone(session.state.key, async () => {
      const over = (session.state.releases ?? []).filter((each) => isUnanswered(each) && each.expiresAt <= clock.now());
      const closed = over.map(({ id }): JournalRecord => ({ type: "release.closed", release: id, because: "over" }));
      if (closed.length > 0) await session.commit(...closed);
    }).then(() => watch(session));

  return {
    ask,
    answer,
    takeUp: (session) => {
      for (const release of (session.state.releases ?? []).filter(isOpenRelease))
        if (release.verdict === "allow") void finish(session, release.id);
      watch(session);
    },
  };
}

function found({ state }: Session, id: string): AskedRelease | undefined {
  return state.releases?.find((each) => each.id === id);
}

/** Theirs alone: nobody else has to be asked. */
function ownWords(
  words: string | undefined,
  { of, reader }: Release,
  said: (text: string) => string,
): Pick<Extract<JournalRecord, { type: "release.answered" }>, "parts" | "marks"> | undefined {
  if (words === undefined || words.trim() === "") return undefined;
  const parts: readonly TextPart[] = [{ type: "text", text: said(words.trim()) }];
  return { parts, marks: { integrity: "untrusted", readers: [readersTo([of, reader], of)] } };
}

const LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const CODE_CHARS = 4;

/** Short enough to type, and like no other that waits there. */
function codeOf(hash: string, releases: readonly AskedRelease[]): CallId {
  const taken = new Set<string>(releases.filter(isUnanswered).map(({ code }) => code));
  const letters = Array.from({ length: hash.length - 1 }, (_, at) => {
    const value = Number.parseInt(hash.slice(at, at + 2), 16);
    return LETTERS[value % LETTERS.length] ?? "";
  });
  const codes = letters.map((_, at) => letters.slice(at, at + CODE_CHARS).join(""));
  const free = codes.find((code) => code.length === CODE_CHARS && !taken.has(code));
  return (free ?? hash) as CallId; // looked up by equality
}
