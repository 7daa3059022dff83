/** Turns of sessions that nobody types in, and what schedules sent to the chats of others. */
import type { Millis, TurnId } from "../contract/base.ts";
import type { Address, Usage } from "../contract/message.ts";
import type { Commit, EndReason, ErrorInfo, JournalRecord } from "../contract/record.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

export interface FoundTurn {
  /** Undefined while the message waits. */
  readonly turn?: TurnId;
  /** The key of the message that opened it: `cron:{job}:{due}`, `task`. */
  readonly key: string;
  readonly label?: string;
  readonly task: string;
  readonly receivedAt: Millis;
  readonly startedAt?: Millis;
  readonly endedAt?: Millis;
  readonly reason?: EndReason | "withdrawn";
  readonly text?: string;
  readonly error?: ErrorInfo;
  readonly usage?: Usage;
  /** Responses so far. */
  readonly steps: number;
  /** The tool it is at. */
  readonly doing?: string;
  /** Replies it queued, by id. */
  readonly replies: readonly string[];
}

export interface Relayed {
  readonly to: Address;
  readonly state: "queued" | "delivered" | "failed";
}

export interface TurnFold {
  readonly turns: readonly FoundTurn[];
  readonly relayed: ReadonlyMap<string, Relayed>;
  apply(commit: Commit): void;
}

/** Whose sessions are followed turn by turn; a chat may have thousands. */
const FOLLOWED = /^(?:cron|subagent):|^(?:heartbeat|greeting)$/;
const SCHEDULED = /^(?:cron|heartbeat|greeting):/;
const MAX_TEXT_CHARS = 4000;

type Handlers = SomeKinds<JournalRecord, [commit: Commit], void>;

export function createTurnFold(): TurnFold {
  const turns = new Map<string, FoundTurn>();
  const relayed = new Map<string, Relayed>();
  let followed = false;
  let current: string | undefined;

  const change = (id: string | undefined, part: Partial<FoundTurn>): void => {
    const known = id === undefined ? undefined : turns.get(id);
    if (id !== undefined && known !== undefined) turns.set(id, { ...known, ...part });
  };
  const now = (): FoundTurn | undefined => (current === undefined ? undefined : turns.get(current));
  const followers: Handlers = {
    "message.received": ({ key, message: { id, from, parts } }, { at }) => {
      turns.set(id, {
        key,
        ...(from.name !== undefined && { label: from.name }),
        task: textOf(parts.slice(0, 1)), // the rest are our own instructions
        receivedAt: at,
        steps: 0,
        replies: [],
      });
    },
    "messages.withdrawn": ({ ids }, { at }) => {
      for (const id of ids) change(id, { reason: "withdrawn", endedAt: at });
    },
    "turn.started": ({ message, turn }, { at }) => {
      current = message;
      change(current, { turn, startedAt: at });
    },
    "model.responded": () => change(current, { steps: (now()?.steps ?? 0) + 1 }),
    "tool.started": ({ name }) => change(current, { doing: name }),
    "reply.queued": ({ reply }) => change(current, { replies: [...(now()?.replies ?? []), reply] }),
    "turn.ended": ({ reason, text, usage, error }, { at }) => {
      const known = now();
      if (current === undefined || known === undefined) return;
      const { doing: _over, ...rest } = known;
      const part = { endedAt: at, reason, text: text.slice(0, MAX_TEXT_CHARS), usage };
      turns.set(current, { ...rest, ...part, ...(error !== undefined && { error }) });
    },
  };
  const move = (reply: string, state: Relayed["state"]): void => {
    const known = relayed.get(reply);
    if (known !== undefined) relayed.set(reply, { ...known, state });
  };
  const relays: Handlers = {
    "reply.queued": ({ reply, to }) => {
      if (SCHEDULED.test(reply)) relayed.set(reply, { to, state: "queued" });
    },
    "reply.delivered": ({ reply }) => move(reply, "delivered"),
    "reply.failed": ({ reply, retryAt }) => {
      if (retryAt === undefined) move(reply, "failed");
    },
  };
  return {
    get turns() {
      return [...turns.values()];
    },
    relayed,
    apply: (commit) => {
      for (const record of commit.records) {
        if (record.type === "session.opened") followed = FOLLOWED.test(record.key);
        if (followed) bySomeKind(followers, record, commit);
        bySomeKind(relays, record, commit);
      }
    },
  };
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts
    .map((part) => part.text ?? "")
    .join("\n")
    .slice(0, MAX_TEXT_CHARS);
}
