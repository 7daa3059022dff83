/** Who reads a conversation: operators alone, or a guest too. What was said for one is not in the context of the other. */
import type { GuestOptions } from "../../contract/agent-options.ts";
import type { InboundMessage } from "../../contract/bus.ts";
import type { CommandActions } from "../../contract/commands.ts";
import type { Audience, JournalRecord } from "../../contract/record.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { createSerial } from "../../lib/async/serial.ts";
import type { LoopDeps } from "../deps.ts";
import { otherReaders } from "../texts.ts";

export interface AudienceOptions {
  readonly guests: GuestOptions;
  readonly language: () => "en" | "zh-CN";
  readonly clear: CommandActions["clear"];
}

/** Called before a message is taken: who sends it reads the answer. */
export function createAudience({
  guests,
  language,
  clear,
}: AudienceOptions): (session: Session, message: InboundMessage) => Promise<void> {
  const alone = createSerial();
  const change = ({ state }: Session, { from, origin, private: isPrivate }: InboundMessage): Audience | undefined => {
    if (from.kind !== "person") return undefined;
    if (guests.isGuest(from, origin)) return state.audience === "guest" ? undefined : "guest";
    // The operator's own again only where nobody else can read along: a guest who was made one.
    return state.audience === "guest" && isPrivate === true ? "owner" : undefined;
  };
  return async (session, message) => {
    if (change(session, message) === undefined) return;
    await alone(session.state.key, async () => {
      const audience = change(session, message); // anew: the message before may have done it
      if (audience === undefined) return;
      const set: JournalRecord = { type: "audience.set", audience };
      if (isUnused(session.state)) await session.commit(set);
      else
        await clear(session, message.from, () => [
          set,
          {
            type: "reply.queued",
            reply: `audience:${session.state.id}:${session.state.seq}:${message.key}`,
            to: message.replyTo ?? message.origin,
            kind: "message",
            parts: [{ type: "text", text: otherReaders(language()) }],
          },
        ]);
    });
  };
}

function isUnused({ messages, pending, turn }: SessionState): boolean {
  return messages.length === 0 && pending.length === 0 && turn === undefined;
}

/** What a session works with, by who reads it. */
export function forReaders(deps: LoopDeps, { audience }: SessionState, guests: GuestOptions | undefined): LoopDeps {
  if (audience !== "guest" || guests === undefined) return deps;
  const { toolsReady: _ours, ...rest } = deps;
  return {
    ...rest,
    tools: guests.tools,
    context: guests.context,
    memory: undefined,
    behind: false,
    // Long results are kept in the workspace, which guests don't read.
    bounds: { ...deps.bounds, store: () => Promise.resolve(undefined) },
  };
}
