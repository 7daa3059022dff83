/** A slash command and its answer: one commit, outside the model's context. */
import { runCommand } from "./commands.ts";
import type { Ids } from "../contract/base.ts";
import type { InboundMessage } from "../contract/bus.ts";
import type { CommandActions } from "../contract/commands.ts";
import type { Session } from "../contract/session.ts";

/** @returns false when the text is no command. */
export async function answerCommand(
  session: Session,
  message: InboundMessage,
  text: string,
  { ids, actions }: { readonly ids: Ids; readonly actions: CommandActions },
): Promise<boolean> {
  const answer = await runCommand(session, message, text, actions);
  if (answer === undefined) return false;
  await session.commit(
    { type: "command.handled", key: `${message.origin.channel}\n${message.key}`, text, by: message.from },
    {
      type: "reply.queued",
      reply: ids.next("command"),
      to: message.origin,
      kind: "command",
      parts: [{ type: "text", text: answer }],
    },
  );
  return true;
}
