/** An operator's word for a call of another conversation: its journal is where the call was answered, so what happened is read there. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Inbox } from "../contract/bus.ts";
import type { Sender } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { AskedRelease, Session } from "../contract/session.ts";
import { LATE, lateGrant } from "../lib/approval-choices.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";
import { textOf } from "../lib/text.ts";
import { resolve, type ControlDeps } from "./control.ts";

export interface DecideCallOptions {
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly control: () => ControlDeps;
  readonly accept: Inbox["accept"];
  readonly clock: Clock;
}

type Closing = Pick<Extract<JournalRecord, { type: "release.closed" }>, "because" | "answer">;
type Became = "waits" | "late" | Closing;
type Asks = NonNullable<AskedRelease["asks"]>;

interface Given {
  readonly verdict: "allow" | "deny";
  readonly by: Sender;
}

/** For so long a yes holds that came when the turn had gone on. */
const LATE_MS: Millis = 600_000;
const VOID: Closing = { because: "void" };

/** @returns what decides a call, or only looks what became of it. */
export function createDecideCall(
  options: DecideCallOptions,
): (release: AskedRelease, given?: Given) => Promise<Became> {
  return async (release, given) => {
    const { asks, session: key, hash } = release;
    const session = await options.find(key);
    if (asks === undefined || session === undefined) return VOID;
    if (given !== undefined) {
      const action = { type: given.verdict, call: asks.call, hash };
      await resolve(session, action, given.by, options.control());
    }
    const became = await becameOf(session, release, asks, options.clock.now());
    if (became !== "late" || given === undefined) return became;
    return given.verdict === "deny"
      ? answered(given.verdict, given.by.id)
      : allowLate(release, asks, given.by, options);
  };
}

function answered(verdict: Given["verdict"], by: string): Closing {
  return { because: "answered", answer: { verdict, by } };
}

async function becameOf(session: Session, { hash }: AskedRelease, asks: Asks, now: Millis): Promise<Became> {
  let became = VOID as Became; // nothing of it is there: it is another journal
  const isIt = ({ turn, call }: { readonly turn: string; readonly call: string }): boolean =>
    turn === asks.turn && call === asks.call;
  const records: SomeKinds<JournalRecord, [], void> = {
    "call.judged": (record) => {
      // Anything else is another question: what it would do has changed.
      if (isIt(record)) became = record.hash === hash && record.verdict === "ask" ? "waits" : VOID;
    },
    "approval.resolved": (record) => {
      if (isIt(record) && became === "waits") became = answered(record.verdict, record.by);
    },
    "turn.cancelled": ({ turn }) => {
      if (turn === asks.turn && became === "waits") became = VOID;
    },
    "tool.finished": ({ turn, message }) => {
      if (isIt({ turn, call: message.callId }) && became === "waits") became = "late";
    },
    "message.received": ({ allows }) => {
      if (allows?.rule === LATE && allows.scope["hash"] === hash) became = answered("allow", allows.by);
    },
  };
  for await (const commit of session.history()) for (const record of commit.records) bySomeKind(records, record);
  if (became !== "waits") return became;
  const open = session.state.turn?.calls.find((item) => item.status === "asked" && item.hash === hash);
  return open?.status === "asked" && open.expiresAt <= now ? "late" : "waits";
}

/** Nothing runs by it: the conversation is told, and may do exactly this. */
async function allowLate(
  { id, session: sessionKey, to: origin, parts, marks, hash }: AskedRelease,
  { call, name }: Asks,
  { id: by }: Sender,
  { accept, clock }: DecideCallOptions,
): Promise<Became> {
  const shown = textOf(parts);
  const text = `It is allowed now, after you went on without: ${shown}\nYou may do it now: make the same call with exactly the same arguments, once, within 10 minutes. Anything else is asked about again. If it is of no use any more, leave it.`;
  const { status } = await accept({
    ...{ key: `${id}:${LATE}`, origin, sessionKey, attended: true, mode: "queue", marks },
    from: { id: "approval", kind: "schedule" },
    parts: [{ type: "text", text }],
    allows: lateGrant({ call, by, tool: name, shown, hash, until: clock.now() + LATE_MS }),
  });
  return status === "accepted" || status === "duplicate" ? answered("allow", by) : "late";
}
