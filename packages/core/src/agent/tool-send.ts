/** The `message` tool's way to the outbox: once per call, however often the call runs. */
import type { ToolSend } from "../contract/agent.ts";
import type { Session } from "../contract/session.ts";
import { sameAddress } from "./placement.ts";

export interface ToolSendDeps {
  /** The session whose turn is calling. */
  readonly byId: (id: ToolSend["session"]) => Session | undefined;
  /** The session of another chat, when there is one. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
}

export async function queueFromTool(message: ToolSend, deps: ToolSendDeps): Promise<"queued" | "unknown-chat"> {
  const session = deps.byId(message.session);
  if (session === undefined) return "unknown-chat";
  if (!sameAddress(message.to, message.origin)) {
    const other = await deps.find(`${message.to.channel}:${message.to.chat}`);
    if (other === undefined || other.state.rows === 0) return "unknown-chat";
  }
  const { turn } = session.state;
  if (turn?.sent.some((item) => item.reply === message.reply) === true) return "queued";
  await session.commit({
    type: "reply.queued",
    reply: message.reply,
    to: message.to,
    kind: "message",
    parts: message.parts,
    call: message.call,
  });
  return "queued";
}
