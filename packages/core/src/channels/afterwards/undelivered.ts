/** A platform has taken something of ours and says later that it did not arrive: it counts as given up on, and can be sent again. */
import type { Clock, Logger } from "../../contract/base.ts";
import type { ChannelInbox } from "../../contract/bus.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Session } from "../../contract/session.ts";
import type { SessionStore } from "../../contract/store.ts";
import { bySomeKind, type SomeKinds } from "../../lib/by-kind.ts";
import { ellipsis } from "../../lib/text.ts";
import { visible } from "../../lib/visible.ts";
import { pieceKey } from "../pieces.ts";
import { conversations } from "./reactions.ts";

export interface UndeliveredOptions {
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  readonly sessions: Pick<SessionStore, "list">;
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
}

type Lost = Parameters<ChannelInbox["undelivered"]>[0];
type Queued = Extract<JournalRecord, { type: "reply.queued" }>;

/** Of what the platform says. */
const MAX_REASON_CHARS = 500;

export async function noteUndelivered(lost: Lost, options: UndeliveredOptions): Promise<"noted" | "ignored"> {
  for await (const session of conversations(lost.to, options)) {
    const sent = session && (await lastSent(session, lost.reply, options));
    if (session === undefined || sent === undefined) continue;
    const { queued, attempt } = sent;
    const { reply, to } = queued;
    const reason = ellipsis(visible(options.redact(lost.reason)).replaceAll(/\s+/g, " ").trim(), MAX_REASON_CHARS);
    const message = `It was taken, and did not arrive. The platform says: “${reason}”. Check where it goes before you send it again.`;
    const error = { code: "channel.failed", message, retryable: false };
    const failed = { type: "reply.failed", reply, kind: "refused", sent: "no", error, attempt } as const;
    options.log.warn("reply.failed", { reply, channel: to.channel, attempt, message, again: false });
    // Of more than one piece it may wait for its next one. Who reads the journal finds a reply that was given up on.
    const waits = session.state.outbox.some((item) => item.reply === reply);
    await session.commit(...(waits ? [failed] : []), anew(queued), failed);
    return "noted";
  }
  return "ignored";
}

interface Sent {
  readonly queued: Queued;
  readonly attempt: number;
}

/** @returns undefined: that piece never left, was sent anew under another key, or its reply was given up on. */
async function lastSent(session: Session, key: string, { clock }: UndeliveredOptions): Promise<Sent | undefined> {
  const moving = session.state.outbox.find((item) => isPiece(item, key));
  // A platform may say it before its answer is stored.
  if (moving?.leaving !== undefined && moving.held === undefined && (moving.retryAt ?? 0) <= clock.now())
    await nextWord(session, moving.reply);
  let sent: Sent | undefined;
  for await (const { records } of session.history())
    for (const record of records) ({ sent } = bySomeKind(AFTER, record, sent, key) ?? { sent });
  return sent?.attempt === 0 ? undefined : sent;
}

type Known = { readonly sent: Sent | undefined };

/** Other records say nothing of a reply. */
const AFTER: SomeKinds<JournalRecord, [sent: Sent | undefined, key: string], Known> = {
  "reply.queued": (queued, sent, key) => {
    if (isPiece(queued, key)) return { sent: { queued, attempt: 0 } };
    return { sent: queued.reply === sent?.queued.reply ? undefined : sent };
  },
  "reply.sending": ({ reply, attempt }, sent) => ({ sent: reply === sent?.queued.reply ? { ...sent, attempt } : sent }),
  "reply.failed": ({ reply, retryAt }, sent) => ({
    sent: reply === sent?.queued.reply && retryAt === undefined ? undefined : sent,
  }),
};

function isPiece(of: Pick<Queued, "reply" | "again">, key: string): boolean {
  const [, piece = "1"] = /\.(\d+)$/.exec(key) ?? [];
  return key === pieceKey(of, 1) || key === pieceKey(of, Number(piece));
}

/** What becomes of the piece that is leaving. @throws as a commit of its session. */
async function nextWord(session: Session, reply: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const said = (one: { readonly reply: string }): void => {
      if (one.reply !== reply) return;
      end();
      resolve();
    };
    const WORDS = { "reply.delivered": said, "reply.failed": said, "reply.held": said } as const;
    const end = session.subscribe((event) => bySomeKind(WORDS, event), reject);
  });
}

/** Without its call: that turn is over. */
function anew({ type, reply, to, kind, parts, marks, again = 0 }: Queued): Queued {
  return { type, reply, to, kind, parts, ...(marks !== undefined && { marks }), again: again + 1 };
}
