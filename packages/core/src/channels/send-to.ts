/** What is sent without a turn: queued in the session of its chat, and a row of it when nobody asked for it there. */
import type { OutboundMessage } from "../contract/bus.ts";
import type { Session } from "../contract/session.ts";

/** With `from` once per reply, however often it is called: whoever died before noting that it was sent sends again. */
export async function sendTo(session: Session, { from, ...message }: OutboundMessage): Promise<void> {
  if (from === undefined) {
    await session.commit({ type: "reply.queued", ...message });
    return;
  }
  if (session.received(from.id, message.reply)) return;
  const text = message.parts
    .map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`))
    .join("\n");
  await session.commit(
    {
      type: "message.posted",
      reply: message.reply,
      from,
      text,
      ...(message.marks !== undefined && { marks: message.marks }),
    },
    { type: "reply.queued", ...message },
  );
}
