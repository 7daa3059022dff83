/** What waits for a person, over all sessions, and the words by which it is answered in a chat. */
import type { Approval } from "../contract/agent.ts";
import type { CallId, Clock, Millis } from "../contract/base.ts";
import type { CommandActions } from "./actions.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import { choicesOf } from "../lib/approval-choices.ts";
import { isUnanswered } from "../lib/approval-choices.ts";
import { OWNER } from "../lib/audience.ts";
import { textOf } from "../lib/text.ts";
import type { AskedRelease, CallState, Session, SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import type { CommandTexts } from "./command-texts.ts";
import { askNext, denyAll, questionsFor, unseenIn } from "./questions/answer-digest.ts";
import { isOwnCall, mayRelease } from "./who-may.ts";

/** Clocks are corrected by seconds all the time. */
const CLOCK_SLACK_MS = 60_000;

type Asked = Extract<CallState, { status: "asked" }>;

/** Whether a yes still counts. Before it was asked: the clock was set back, and how old the question is nobody knows. */
export function isOpen({ askedAt, expiresAt }: Pick<Asked, "askedAt" | "expiresAt">, now: Millis): boolean {
  return expiresAt > now && now >= askedAt - CLOCK_SLACK_MS;
}

export async function pendingApprovals(sessions: SessionStore, now: () => Millis): Promise<readonly Approval[]> {
  const open = (await sessions.list()).filter(({ fault, settled }) => fault === undefined && settled !== true);
  const states = (await Promise.all(open.map(({ key }) => sessions.find(key)))).flatMap((each) => each?.state ?? []);
  const calls = states.flatMap((state) => approvalsOf(state, now()));
  // A call that waits is answered where it waits, or was just now; its question elsewhere is the same one.
  const isCall = ({ asks, session }: AskedRelease): boolean => {
    const turn = states.find(({ key }) => key === session)?.turn;
    const item = turn?.calls.find(({ call }) => turn.id === asks?.turn && call.callId === asks.call);
    return item !== undefined && item.status !== "finished";
  };
  return [
    ...calls,
    ...states.flatMap((state) =>
      releasesOf(state, now())
        .filter((each) => !isCall(each))
        .map(asApproval(state)),
    ),
  ];
}

/** What belongs to somebody else is theirs to read. */
function releasesOf({ releases = [] }: SessionState, now: Millis): readonly AskedRelease[] {
  return releases.filter(
    (each) => isUnanswered(each) && each.expiresAt > now && (each.asks !== undefined || each.of === OWNER),
  );
}

function asApproval({ id: session, key: sessionKey }: SessionState): (release: AskedRelease) => Approval {
  return ({ id, hash, expiresAt, parts, asks, to, reader, question, blind }) => {
    const lines =
      asks === undefined
        ? [`${to.channel}:${to.chat} (${reader})`, question, blind === true ? "" : textOf(parts)]
        : [textOf(parts)];
    return {
      ...{ session, sessionKey, hash, expiresAt, choices: ["once"], name: asks?.name ?? "release" },
      call: id as CallId, // answered by it
      prompt: lines.filter((line) => line !== undefined && line !== "").join("\n"),
    };
  };
}

function approvalsOf(state: SessionState, now: Millis): readonly Approval[] {
  const { turn } = state;
  if (turn === undefined) return [];
  const asked = turn.calls.flatMap((item) =>
    item.status === "asked" && isOpen(item, now)
      ? [
          {
            session: state.id,
            sessionKey: state.key,
            turn: turn.id,
            call: item.call.callId,
            name: item.call.name,
            prompt: item.prompt,
            hash: item.hash,
            expiresAt: item.expiresAt,
            choices: choicesOf(item.grant),
            ...(item.grant !== undefined && { grant: item.grant }),
          },
        ]
      : [],
  );
  const during = (turn.questions ?? []).flatMap((question) =>
    isOpen(question, now)
      ? [
          {
            session: state.id,
            sessionKey: state.key,
            turn: turn.id,
            call: question.call,
            name: question.name,
            prompt: question.prompt,
            hash: question.hash,
            expiresAt: question.expiresAt,
            choices: choicesOf(question.grant),
            during: true as const,
            ...(question.grant !== undefined && { grant: question.grant }),
          },
        ]
      : [],
  );
  return [...asked, ...during];
}

interface Call {
  readonly session: Session;
  readonly by: Sender;
  readonly origin: Address;
  readonly argument: string | undefined;
  readonly actions: Pick<CommandActions, "mayApprove" | "speaker" | "resolve" | "codes">;
  readonly texts: Pick<
    CommandTexts,
    | "notAllowed"
    | "codesLocked"
    | "deniedAll"
    | "next"
    | "noApproval"
    | "onlyOnce"
    | "resolved"
    | "sharedFrom"
    | "whichApproval"
  >;
  readonly answered: (answer: string) => readonly JournalRecord[];
}

/** Behind a code they say for how long a yes holds. */
const SPANS: ReadonlySet<string> = new Set(["session", "always"]);

/** `/allow` and `/deny`: of calls by operators, of what somebody else would be told by whom it belongs to. */
export async function approveCommand(given: Call, verdict: "allow" | "deny"): Promise<string> {
  const { session, by, origin, argument, actions, texts, answered } = given;
  const many = await approveMany(given, verdict);
  if (many !== undefined) return many;
  const [word = "", ...own] = argument?.split(/\s+/) ?? [];
  const guesser = JSON.stringify([origin, by.id]);
  // Also the right one: else it could be told from the others.
  if (word !== "" && actions.codes.isLocked(guesser)) return texts.codesLocked;
  if (word !== "" && word !== "session" && !wasAsked(session, word)) actions.codes.wrong(guesser);
  const unseen = unseenIn(session.state);
  const theirs = releasesFor(given).filter(({ code }) => !unseen.has(code));
  const release = theirs.find(({ code }) => code === word.toUpperCase()) ?? (word === "" ? only(theirs) : undefined);
  const mayAll = actions.mayApprove(by, origin);
  const who = actions.speaker(by, origin);
  const { turn } = session.state;
  const calls = (turn?.calls ?? []).flatMap((item) =>
    item.status === "asked" &&
    !unseen.has(item.call.callId) &&
    (mayAll || isOwnCall(session.state, item.call.callId, who))
      ? [item]
      : [],
  );
  const waits = turn?.calls.some(({ status }) => status === "asked") === true || turn?.questions !== undefined;
  if (release !== undefined && (word !== "" || !waits)) {
    if (release.asks !== undefined && own.length > 0) return texts.onlyOnce(release.code);
    const { code: call, hash, lasting } = release;
    const words = (argument ?? "").slice(word.length).trim();
    const span = own.length === 1 && SPANS.has(words.toLowerCase()) ? words.toLowerCase() : undefined;
    if (verdict === "allow" && span !== undefined && (span !== "always" || lasting === undefined))
      return texts.onlyOnce(call); // and no answer in their own words either
    const more = span === undefined ? own.length > 0 && { words } : { remember: "always" as const };
    const action = { type: verdict, call, hash, ...(verdict === "allow" && more) };
    const text = "remember" in action ? texts.sharedFrom : texts.resolved(verdict);
    const done = await actions.resolve(session, action, by, () => answered(text));
    return done ? text : texts.noApproval(word === "" ? call : word);
  }
  if (word === "" && theirs.length + calls.length === 0 && unseen.size > 0) return texts.whichApproval(["next"]);
  if (!mayAll && calls.length === 0)
    return waits ? texts.notAllowed : texts.whichApproval(theirs.map(({ code }) => code));
  const asked = [
    ...calls.map(({ call, grant }) => ({ id: call.callId, grant })),
    ...(mayAll ? (turn?.questions ?? []) : []).map(({ call, grant }) => ({ id: call, grant })),
    ...theirs.map(({ code }) => ({ id: code, grant: undefined })),
  ];
  const words = argument?.split(/\s+/) ?? [];
  // A rule for all chats is made in the browser or the terminal, where its maker can prove who they are.
  const inThisChat = verdict === "allow" && words.at(-1) === "session";
  const named = (inThisChat ? words.slice(0, -1) : words).join(" ");
  const code = named === "" ? (asked.length === 1 ? asked[0]?.id : undefined) : named;
  if (code === undefined) return texts.whichApproval([...new Set(asked.map(({ id }) => id))]);
  const item = asked.findLast(({ id }) => id === code);
  if (inThisChat && item !== undefined && item.grant === undefined) return texts.onlyOnce(code);
  const call = code as CallId; // looked up by equality: a wrong code finds nothing
  const action = { type: verdict, call, ...(inThisChat && { remember: "session" as const }) };
  const done = await actions.resolve(session, action, by, () => answered(texts.resolved(verdict)));
  return done ? texts.resolved(verdict) : texts.noApproval(code);
}

/** `/allow next`, `/deny all`: of many questions. */
async function approveMany(
  { session, by, origin, argument, actions, texts, answered }: Call,
  verdict: "allow" | "deny",
): Promise<string | undefined> {
  const word = argument?.toLowerCase();
  const isOf = verdict === "allow" ? word === "next" : word === "all";
  if (!isOf) return undefined;
  const open = questionsFor(session, actions.speaker(by, origin), actions.mayApprove(by, origin));
  if (open.length === 0) return texts.whichApproval([]);
  if (verdict === "deny")
    return texts.deniedAll(await denyAll(open, (action) => actions.resolve(session, action, by, () => [])));
  return (await askNext(session, () => answered(texts.next(true)))) ? texts.next(true) : texts.next(false);
}

/** Whether something is or was asked here by that word: who is late has guessed at nothing. */
function wasAsked({ state: { turn, releases = [], asked = [] } }: Session, word: string): boolean {
  return (
    releases.some(({ code }) => code === word.toUpperCase()) ||
    asked.some(({ call }) => call === word) ||
    turn?.calls.some(({ call }) => call.callId === word) === true
  );
}

/** What waits here for their word. */
function releasesFor({
  session: { state },
  by,
  origin,
  actions: { speaker, mayApprove },
}: Call): readonly AskedRelease[] {
  const who = speaker(by, origin);
  if (who.role === "operator" && !mayApprove(by, origin)) return []; // a program
  return (state.releases ?? []).filter((each) => isUnanswered(each) && mayRelease(each, who));
}

function only<Item>([first, ...others]: readonly Item[]): Item | undefined {
  return others.length === 0 ? first : undefined;
}

const MAX_WRONG = 3;
const LOCK_MS: Millis = 600_000;

/** Who has guessed at codes gives none for a while: buttons, pages and the terminal go on. */
export function createCodeLock({ monotonic }: Pick<Clock, "monotonic">): CommandActions["codes"] {
  const guesses = new Map<string, readonly number[]>();
  const recent = (who: string): readonly number[] =>
    (guesses.get(who) ?? []).filter((at) => monotonic() - at < LOCK_MS);
  return {
    isLocked: (who) => recent(who).length >= MAX_WRONG,
    wrong: (who) => {
      for (const each of guesses.keys()) if (recent(each).length === 0) guesses.delete(each);
      guesses.set(who, [...recent(who), monotonic()].slice(-MAX_WRONG));
    },
  };
}
