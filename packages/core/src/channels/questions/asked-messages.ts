/** A question in a chat whose buttons are of no use any more says what became of it. Best effort, once, and never a new message. */
import type { Clock, Logger, Millis } from "../../contract/base.ts";
import type { Channel, ChannelCan, OutboundPiece } from "../../contract/channel.ts";
import type { AskedInChat } from "../../contract/bus.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { buttonsOf, DIGEST, digestIn, isAsked } from "../../lib/approval-choices.ts";
import { createSerial } from "../../lib/async/serial.ts";
import { ellipsis, textOf } from "../../lib/text.ts";
import type { createPrinter } from "../markup/printer.ts";

export interface AskedMessagesOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug">;
  readonly redact: (text: string) => string;
  readonly printer: (text: ChannelCan["text"]) => Promise<ReturnType<typeof createPrinter>>;
  /** What became of it, as one line. */
  readonly outcome: (
    state: SessionState,
    asked: AskedInChat,
    more: { readonly by: string; readonly expired: boolean; readonly now: Millis },
  ) => string;
  /** What a digest says now. */
  readonly digest: (state: SessionState, channel: Channel) => Promise<string>;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

const EDIT_MS = 30_000;

/** @returns what looks at a session when it is opened, and after each of its records. */
export function createAskedMessages(options: AskedMessagesOptions): (session: Session) => void {
  const changed = new WeakMap<Session, Set<string>>();
  const count = createCount(options);
  return (session) => {
    const { state } = session;
    count(session);
    const over = (state.asked ?? []).filter((asked) => !isAsked(state, asked));
    // What was over before this process began was changed then, or never is.
    const known = changed.get(session);
    const done = known ?? new Set(over.map(({ reply }) => reply));
    if (known === undefined) changed.set(session, done);
    for (const asked of over) {
      // On its way: it is looked at again when it has arrived.
      if (done.has(asked.reply) || state.outbox.some(({ reply }) => reply === asked.reply)) continue;
      done.add(asked.reply);
      void change(session, asked, options);
    }
  };
}

/** What a digest says changes with what it is about. */
function createCount(options: AskedMessagesOptions): (session: Session) => void {
  const alone = createSerial();
  const shown = new WeakMap<Session, { readonly reply: string; readonly text: string }>();
  return (session) => {
    const { state } = session;
    const digest = digestIn(state);
    const channel = digest && options.channel(digest.to.channel);
    if (digest === undefined || channel?.can.edit !== true || !isAsked(state, digest)) return;
    const { reply } = digest;
    if (state.outbox.some((item) => item.reply === reply)) {
      shown.set(session, { reply, text: textOf(digest.parts) });
      return;
    }
    void alone(reply, async () => {
      const text = await options.digest(session.state, channel);
      const known = shown.get(session);
      if ((known?.reply === reply && known.text === text) || !isAsked(session.state, digest)) return;
      shown.set(session, { reply, text });
      await change(session, digest, options, text);
    });
  };
}

/** @param text of a question that goes on, with its buttons. */
async function change(
  session: Session,
  asked: AskedInChat,
  options: AskedMessagesOptions,
  text?: string,
): Promise<void> {
  const { clock, log, closing } = options;
  const channel = options.channel(asked.to.channel);
  const id = asked.last?.id;
  if (channel?.edit === undefined || id === undefined) return;
  const late = new AbortController();
  const signal = AbortSignal.any([closing, late.signal]);
  using _late = clock.timer(EDIT_MS, () => late.abort(new Error("it takes too long")));
  try {
    const piece = await pieceOf(session, asked, channel.can.text, options, text);
    const whole = text === undefined ? piece : { ...piece, ...buttonsOf(asked) };
    await raceAbort(channel.edit(id, whole, signal), signal);
  } catch (error) {
    log.debug("question.unchanged", { channel: channel.id, message: messageOf(error) });
  }
}

/** The piece with the buttons as it was sent, without them, and with what became of the question. */
async function pieceOf(
  session: Session,
  asked: AskedInChat,
  can: ChannelCan["text"],
  { redact, printer, outcome, clock }: AskedMessagesOptions,
  instead?: string,
): Promise<OutboundPiece> {
  const { last = { piece: 1, from: 0, to: 0 }, answered, reply, to, expiresAt } = asked;
  const said = redact(textOf(asked.parts)).slice(last.from, last.to).trim();
  const by = answered === undefined ? "" : nameIn(session, answered.by);
  const now = clock.now();
  const line = redact(outcome(session.state, asked, { by, expired: expiresAt <= now, now }));
  const piece = (text: string): OutboundPiece => ({
    reply: last.piece === 1 ? reply : `${reply}.${last.piece}`,
    to,
    kind: "approval",
    parts: [{ type: "text", text }],
  });
  // A number of what waits is wrong when it is over.
  const whole = instead ?? (asked.call === DIGEST ? line : `${said}\n\n${line}`);
  if (can.dialect === "markdown" && whole.length <= can.max) return piece(whole);
  const { cut } = await printer(can);
  // What became of it comes first: of a question that fills its message the end is left out.
  for (const text of [whole, `${ellipsis(said, Math.floor(can.max / 3))}\n\n${line}`, line]) {
    const [first, more] = [...cut(text, { from: 0, first: can.max })];
    if (first === undefined || more !== undefined) continue;
    const { text: rendered, plain } = first;
    return can.dialect === "markdown" ? piece(rendered) : { ...piece(plain), rendered: { text: rendered, plain } };
  }
  return piece(line);
}

/** As they are called there. Nothing in a name is markup of ours. */
export function nameIn({ state: { messages, names = [] } }: Session, by: string): string {
  const named = names.find(([id]) => id === by)?.[1];
  const spoken = messages.findLast((message) => message.role === "user" && message.from.id === by);
  const name = named ?? (spoken?.role === "user" ? spoken.from.name : undefined) ?? by;
  return ellipsis(name.replaceAll(/[[\]()<>*_`~|\\#\n]/g, " ").trim(), 60) || by;
}
