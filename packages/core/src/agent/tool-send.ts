/** The `message` tool's way to the outbox: once per call, however often the call runs. */
import type { ToolSend } from "../contract/agent.ts";
import type { Session } from "../contract/session.ts";
import { someMarks } from "../lib/labels.ts";
import { sameAddress } from "./placement.ts";
import { withholdLinks } from "./withheld-links.ts";

export interface ToolSendDeps {
  /** The session whose turn is calling. */
  readonly byId: (id: ToolSend["session"]) => Session | undefined;
  readonly language: () => "en" | "zh-CN";
  /** The session of another chat, when there is one. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
}

/** More in one turn is a flood, whoever asked for it. */
const MAX_PER_TURN = 10;

export async function queueFromTool(
  message: ToolSend,
  deps: ToolSendDeps,
): Promise<"queued" | "unknown-chat" | "too-many"> {
  const session = deps.byId(message.session);
  if (session === undefined) return "unknown-chat";
  if (!sameAddress(message.to, message.origin)) {
    const other = await deps.find(`${message.to.channel}:${message.to.chat}`);
    if (other === undefined || other.state.rows === 0) return "unknown-chat";
  }
  const { turn } = session.state;
  if (turn?.sent.some((item) => item.reply === message.reply) === true) return "queued";
  if ((turn?.sent.length ?? 0) >= MAX_PER_TURN) return "too-many";
  await session.commit({
    type: "reply.queued",
    reply: message.reply,
    to: message.to,
    kind: "message",
    parts: message.parts.map((part) =>
      part.type === "text" ? { ...part, text: withholdLinks(part.text, session.state, deps.language()) } : part,
    ),
    call: message.call,
    ...someMarks(session.state.label),
  });
  return "queued";
}
