/**
 * What a turn says while it says it: messages on the platform that are edited, and in whose place the reply comes. Best
 * effort: nothing waits for it but its own reply, and what cannot be shown is not shown.
 */
import type { TurnId } from "../../contract/base.ts";
import type { AgentEvent } from "../../contract/event.ts";
import type { Session } from "../../contract/session.ts";
import { sameAddress } from "../../lib/session-key.ts";
import { isGroup } from "../../lib/audience.ts";
import { bySomeKind, type SomeKinds } from "../../lib/by-kind.ts";
import { createLiveMessages, type LiveMessages } from "./messages.ts";
import { end, leave, show } from "./show.ts";
import { isVisible, type Live, type LiveTextOptions, type Opening, type Showing, textOf } from "./showing.ts";

export interface LiveText extends Pick<LiveMessages, "find" | "remove" | "removeBehind" | "replace"> {
  /** @returns what hears the events of a session that was opened. */
  follow(session: Session): (event: AgentEvent) => void;
  /** A word beside the answer. @returns false: nothing shows this turn, it has to be a message of its own. */
  beside(session: Session, text: string): boolean;
  /** Something is on its way that the reply of its turn has to come after. */
  opening(session: Session): Opening | undefined;
}

/** It appears after so long, or with so many characters. */
const FIRST_MS = 1200;
const FIRST_CHARS = 40;

export function createLiveText(options: LiveTextOptions): LiveText {
  const messages = createLiveMessages(options);
  const live: Live = { options, showing: new WeakMap(), opening: new WeakMap(), messages, slowed: new Map() };
  return {
    ...messages,
    follow: (session) => follow(live, session),
    beside(session, text) {
      const showing = live.showing.get(session);
      if (showing === undefined || showing.gaveUp === true) return false;
      // What is on its way is going to be there.
      if (!isVisible(showing) && showing.working === undefined) return false;
      if (text.trim() !== showing.text.trim()) showing.beside = text;
      plan(live, session, showing);
      return true;
    },
    opening: (session) => live.opening.get(session),
  };
}

function follow(live: Live, session: Session): (event: AgentEvent) => void {
  const { state } = session;
  // Of an earlier process, and its turn is over.
  if (state.live !== undefined && state.live.turn !== state.turn?.id) void end(live, session, state.live.turn);
  const hears: SomeKinds<AgentEvent, [], void> = {
    "text.delta": ({ turn, text }) => {
      const showing = live.showing.get(session) ?? begin(live, session, turn);
      if (showing === undefined) return;
      if (showing.isComplete) Object.assign(showing, { text: "", beside: "", isComplete: false });
      showing.text += text;
      plan(live, session, showing);
    },
    "text.restarted": () => {
      const showing = live.showing.get(session);
      if (showing !== undefined) showing.text = "";
    },
    "model.responded": () => {
      const showing = live.showing.get(session);
      if (showing !== undefined) showing.isComplete = true;
    },
    "reply.queued": ({ to }) => {
      const showing = live.showing.get(session);
      if (showing === undefined || !sameAddress(showing.to, to)) return;
      stop(live, session);
      const { turn } = session.state;
      // Something else is said below it, in the middle of a sentence. It comes again, whole, unless it was stopped.
      const isOver = turn?.id !== showing.turn || turn.cancelled;
      void leave(live, session, showing, showing.isComplete ? "keep" : isOver ? "cut" : "remove");
    },
    "turn.ended": ({ turn, reason }) => {
      const showing = live.showing.get(session);
      stop(live, session);
      if (showing !== undefined && reason === "cancelled") void leave(live, session, showing, "cut");
      else void Promise.resolve(showing?.working).then(async () => end(live, session, turn));
    },
  };
  return (event) => bySomeKind(hears, event);
}

/** Undefined: nobody waits for this turn in a chat that can show it. */
function begin({ options, showing }: Live, session: Session, id: TurnId): Showing | undefined {
  const { turn, audience, live } = session.state;
  if (turn?.id !== id || !turn.steerable || turn.cancelled) return undefined;
  const channel = options.channel(turn.replyTo.channel);
  const inGroup = isGroup(audience);
  if (channel?.can.live === undefined || channel.edit === undefined) return undefined;
  if (inGroup && channel.can.live.inGroups !== true) return undefined;
  const now = options.clock.monotonic();
  const known = live?.turn === id ? live.messages : [];
  const made: Showing = {
    turn: id,
    reply: `${id}:live-${session.state.seq}`,
    channel,
    to: turn.replyTo,
    inGroup,
    text: "",
    isComplete: false,
    beside: "",
    since: now,
    messages: known.map(({ id, ...sought }) => (id === undefined ? { sought } : { id })),
    ...(known.length > 0 && { stream: "none" }),
    times: 0,
    nextAt: now,
  };
  showing.set(session, made);
  return made;
}

function stop({ showing }: Live, session: Session): void {
  showing.get(session)?.timer?.ring[Symbol.dispose]();
  showing.delete(session);
}

/** Shows it when it is time: the newest text wins, nothing is queued. */
function plan(live: Live, session: Session, showing: Showing): void {
  const { clock } = live.options;
  if (showing.working !== undefined || showing.gaveUp === true) return;
  const now = clock.monotonic();
  const at = Math.max(now, showing.nextAt, dueAt(showing));
  if (at === Infinity || (showing.timer !== undefined && showing.timer.at <= at)) return;
  showing.timer?.ring[Symbol.dispose]();
  const ring = clock.timer(at - now, () => {
    showing.timer = undefined;
    const work = show(live, session, showing).finally(() => {
      showing.working = undefined;
      live.opening.delete(session);
      if (live.showing.get(session) === showing) plan(live, session, showing);
    });
    showing.working = work;
    live.opening.set(session, { turn: showing.turn, arrived: work });
  });
  showing.timer = { at, ring };
}

function dueAt(showing: Showing): number {
  const { stream, since } = showing;
  // All is said: what would go by itself is said again.
  if (textOf(showing) === showing.shown) return typeof stream === "object" ? stream.at + stream.open.keepMs : Infinity;
  return isVisible(showing) || showing.text.length >= FIRST_CHARS ? 0 : since + FIRST_MS;
}
