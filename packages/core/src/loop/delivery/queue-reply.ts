/** What the `message` tool sends: here a reply of the turn, elsewhere a row of that chat; once per call, however often it runs. */
import type { ToolSend, ToolSent } from "../../contract/agent.ts";
import type { AgentOptions } from "../../contract/agent-options.ts";
import type { MessageBus } from "../../contract/bus.ts";
import type { Address, Marks } from "../../contract/message.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { join, marksOf, PLAIN, readersOf, someMarks } from "../../lib/labels.ts";
import { rowKey, sameAddress, sessionKeyOf } from "../../lib/session-key.ts";
import { hideLinks } from "../../channels/markup/outgoing-links.ts";

export interface ToolSendDeps {
  /** The session whose turn is calling. */
  readonly byId: (id: ToolSend["session"]) => Session | undefined;
  readonly language: () => "en" | "zh-CN";
  /** The session of another chat, when there is one. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly sessionOf?: AgentOptions["sessionOf"];
  /** Of a chat without rows: somebody who was admitted has it, or had it before its conversation was removed. */
  readonly isKnown: (to: Address) => Promise<boolean>;
  readonly send: MessageBus["send"];
  /** Of a text of this conversation in another chat. Default: its label. */
  readonly marksFor?: (state: SessionState, to: Address) => Promise<Marks>;
  /** Asks first whom it belongs to. @returns undefined: it goes as it is. */
  readonly asks?: (state: SessionState, message: ToolSend) => Promise<"asked" | "withheld" | undefined>;
}

/** More in one turn is a flood, whoever asked for it. */
const MAX_PER_TURN = 10;

export async function queueFromTool(message: ToolSend, deps: ToolSendDeps): Promise<ToolSent> {
  const session = deps.byId(message.session);
  if (session === undefined) return "unknown-chat";
  const { reply, to, readers = [] } = message;
  const { label } = session.state;
  const state = { ...session.state, label: join(label, { ...PLAIN, ...readersOf({ readers }) }) };
  const parts = message.parts.map((part) =>
    part.type === "text" ? { ...part, text: hideLinks(part.text, state, deps.language()) } : part,
  );
  if (sameAddress(to, message.origin)) {
    if (state.turn?.sent.some((item) => item.reply === reply) === true) return "queued";
    if (sentBefore(state, message) >= MAX_PER_TURN) return "too-many";
    await session.commit({
      type: "reply.queued",
      reply,
      to,
      kind: "message",
      parts,
      call: message.call,
      ...someMarks(state.label),
    });
    return "queued";
  }
  const key = rowKey(sessionKeyOf(to), to, deps.sessionOf);
  const other = await deps.find(key);
  if ((other === undefined || !wasUsed(other.state)) && !(await deps.isKnown(to))) return "unknown-chat";
  if (sentBefore(state, message) >= MAX_PER_TURN) return "too-many";
  const first = await deps.asks?.(state, { ...message, parts });
  if (first !== undefined) return first;
  // Others than the owner are not told which conversations there are; nor is somebody of whom that is not known yet.
  const name = other === undefined || other.state.audience !== undefined ? {} : { name: state.key };
  const marks = (await deps.marksFor?.(state, to)) ?? marksOf(state.label);
  await deps.send(key, {
    reply,
    to,
    kind: "message",
    parts,
    from: { id: "message", ...name, kind: "agent" },
    ...(Object.keys(marks).length > 0 && { marks }),
  });
  return "queued";
}

/** Somebody who was admitted has written there, also when the context has been emptied since. */
function wasUsed({ rows, cleared }: SessionState): boolean {
  return rows > 0 || cleared > 0;
}

/** Messages of this turn before this one: by their results, and by their place in the calls at hand. */
function sentBefore({ turn, messages }: SessionState, { call }: ToolSend): number {
  if (turn === undefined) return 0;
  const calls = turn.calls.map((item) => item.call);
  const own = calls.find(({ callId }) => callId === call);
  // By place, not by time: a clock may stand still, or be set back.
  const opening = messages.findLastIndex(
    (row) => row.role === "user" && (turn.opening === undefined || row.id === turn.opening),
  );
  const earlier = messages.filter(
    (row, place) =>
      place > opening &&
      row.role === "tool" &&
      row.name === own?.name &&
      row.status === "ok" &&
      !calls.some(({ callId }) => callId === row.callId),
  );
  const beside = calls.slice(
    0,
    calls.findIndex(({ callId }) => callId === call),
  );
  return earlier.length + beside.filter(({ name }) => name === own?.name).length;
}
