/** A button below a question was pressed: found by its token, and answered as if its presser had typed `/allow` there. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Clock } from "../contract/base.ts";
import type { ChannelInbox, InboundMessage, Pressed } from "../contract/bus.ts";
import type { CommandActions } from "./actions.ts";
import type { Policy } from "../contract/policy.ts";
import type { AnswerButton, JournalRecord } from "../contract/record.ts";
import type { AskedInChat } from "../contract/bus.ts";
import type { Keys } from "../contract/store.ts";
import type { Session } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { createSerial } from "../lib/async/serial.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { sessionsAtWork } from "../loop/lanes/sessions-at-work.ts";
import { outcomeText } from "./questions/buttons.ts";
import { resolve, type ControlDeps } from "./control.ts";
import { answers } from "./texts.ts";
import { mayAnswer } from "./who-may.ts";
import { DIGEST, isAsked } from "../lib/approval-choices.ts";
import { askNext, denyAll, questionsFor } from "./questions/answer-digest.ts";
import type { Audience, Speaker } from "../contract/people.ts";

export interface PressOptions extends Pick<CommandActions, "mayApprove" | "speaker"> {
  readonly admit: Policy["admit"];
  readonly settings: (audience?: Audience) => Pick<AgentSettings, "language" | "timeZone">;
  readonly clock: Pick<Clock, "now">;
  readonly sessions: SessionStore;
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Which keys of a platform were accepted. */
  readonly keys: Keys;
  readonly control: () => ControlDeps;
  /** How somebody is called who answered there. */
  readonly nameOf: (session: Session, by: string) => string;
}

type Press = Parameters<ChannelInbox["press"]>[0];

interface Found {
  readonly session: Session;
  readonly asked: AskedInChat;
  readonly button: AnswerButton;
}

export function createPress(options: PressOptions): ChannelInbox["press"] {
  const alone = createSerial();
  // One after the other in each chat: the second of two finds what the first did.
  return (press) => alone(sessionKeyOf(press.origin), () => answer(press, options));
}

async function answer(press: Press, options: PressOptions): Promise<Pressed> {
  const { from, origin } = press;
  const { keys, mayApprove, speaker } = options;
  const say = answers(options.settings().language);
  const notYours: Pressed = { status: "not-yours", text: say("notAllowed") };
  const who = speaker(from, origin);
  const mayAll = mayApprove(from, origin);
  // First of all: whoever may not answer is told nothing of what there is, and has nothing looked for.
  if (!(await isAdmitted(press, options)) || (!mayAll && who.role !== "member")) return notYours;
  const key = `press:${press.key}`;
  const known = await keys.find(origin.channel, key);
  const found = await lookUp(press, options);
  const isTaken = known === "taken";
  const again: Pressed = { status: "already", text: say("press.again") };
  if (found === undefined && !mayAll) return notYours;
  if (found === undefined) return isTaken ? again : { status: "unknown", text: say("press.unknown") };
  const { session, asked, button } = found;
  if (asked.call === DIGEST) return pressDigest(press, found, { key, who, mayAll, isTaken }, options);
  if (!mayAnswer(session, asked, who, mayAll)) return notYours;
  if (asked.answered !== undefined) return { status: "already", text: outcome(found, options) };
  if (isTaken) return again;
  if (!(await act(press, found, key, options))) return notDone(found, options);
  const text = say(button.remember === undefined ? `resolved.${button.verdict}` : `press.${button.remember}`);
  return { status: "done", text };
}

/** The next of many questions, or a no to all of them. */
async function pressDigest(
  { from, origin }: Press,
  { session, asked, button: { verdict } }: Found,
  given: { readonly key: string; readonly who: Speaker; readonly mayAll: boolean; readonly isTaken: boolean },
  { keys, settings, control }: PressOptions,
): Promise<Pressed> {
  const say = answers(settings().language);
  const { key, who, mayAll, isTaken } = given;
  const open = questionsFor(session, who, mayAll);
  const isOpen = isAsked(session.state, asked);
  if (isOpen && open.length === 0) return { status: "not-yours", text: say("notAllowed") };
  if (!isOpen) return { status: "expired", text: say("press.expired") };
  if (isTaken) return { status: "already", text: say("press.again") };
  const handled: JournalRecord = {
    type: "control.handled",
    key: `${origin.channel}\n${key}`,
    control: verdict,
    by: from,
  };
  const intended = keys.intend(origin.channel, key, session.state.key);
  const isNext = verdict === "allow" && (await askNext(session, () => [handled]));
  const deny: Parameters<typeof denyAll>[1] = async (action) => (await resolve(session, action, from, control())).done;
  const denied = verdict === "deny" ? await denyAll(open, deny) : 0;
  if (!isNext) await session.commit(handled);
  await intended;
  keys.taken(origin.channel, key);
  if (verdict === "deny") return { status: "done", text: say("digest.denied", { n: denied }) };
  return isNext ? { status: "done", text: say("digest.next") } : { status: "already", text: say("digest.none") };
}

/** As a message of theirs would be. */
async function isAdmitted({ key, from, origin }: Press, { admit }: PressOptions): Promise<boolean> {
  const message: InboundMessage = { key, from, origin, parts: [] };
  return (await admit(message)).ok;
}

/** @returns whether it was this press that answered. */
async function act(
  press: Press,
  { session, asked, button }: Found,
  key: string,
  options: PressOptions,
): Promise<boolean> {
  const { from, origin } = press;
  const { call, hash } = asked;
  const { verdict, remember } = button;
  const intended = options.keys.intend(origin.channel, key, session.state.key);
  const action = { type: verdict, call, hash, ...(remember !== undefined && { remember }) };
  const handled = { type: "control.handled", key: `${origin.channel}\n${key}`, control: verdict, by: from } as const;
  const [{ done }] = await Promise.all([resolve(session, action, from, options.control(), () => [handled]), intended]);
  if (!done) return false;
  options.keys.taken(origin.channel, key);
  // Somebody may have answered elsewhere in the same moment: what the journal has first counts.
  const now = session.state.asked?.find(({ reply }) => reply === asked.reply)?.answered;
  return now?.by === from.id && now.verdict === verdict;
}

function notDone({ session, asked, button }: Found, options: PressOptions): Pressed {
  const now = session.state.asked?.find(({ reply }) => reply === asked.reply) ?? asked;
  if (now.answered !== undefined) return { status: "already", text: outcome({ session, asked: now, button }, options) };
  const say = answers(options.settings().language);
  const isChanged = session.state.turn?.calls.some(
    (item) => item.status === "asked" && item.call.callId === asked.call && item.hash !== asked.hash,
  );
  return { status: "expired", text: say(isChanged === true ? "press.changed" : "press.expired") };
}

function outcome({ session, asked }: Found, { settings, nameOf, clock }: PressOptions): string {
  const by = asked.answered === undefined ? "" : nameOf(session, asked.answered.by);
  return outcomeText(settings(session.state.audience), asked, { by, expired: true, now: clock.now() });
}

/** In the conversation of the chat, then in those that wait for something: a question belongs to a turn that is open. */
async function lookUp(press: Press, { sessions, find }: PressOptions): Promise<Found | undefined> {
  const here = await find(sessionKeyOf(press.origin));
  const found = here && buttonIn(here, press);
  if (found !== undefined) return found;
  for (const session of await sessionsAtWork(sessions, find)) {
    const elsewhere = buttonIn(session, press);
    if (elsewhere !== undefined) return elsewhere;
  }
  return undefined;
}

/** Only of what was put into this chat: a token that was carried elsewhere is none. */
function buttonIn(session: Session, { token, origin }: Press): Found | undefined {
  for (const asked of session.state.asked ?? []) {
    if (asked.to.channel !== origin.channel || asked.to.chat !== origin.chat) continue;
    const button = asked.actions.find((each) => each.token === token);
    if (button !== undefined) return { session, asked, button };
  }
  return undefined;
}
