/** A slash command and its answer: one commit, outside the model's context. */
import { runCommand } from "./commands.ts";
import type { Ids } from "../contract/base.ts";
import type { InboundMessage } from "../contract/bus.ts";
import type { CommandActions } from "./actions.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";

/** @returns false when the text is no command. */
export async function answerCommand(
  session: Session,
  message: InboundMessage,
  text: string,
  { ids, actions }: { readonly ids: Ids; readonly actions: CommandActions },
): Promise<boolean> {
  let recorded = false;
  const answered = (answer: string): readonly JournalRecord[] => {
    recorded = true;
    return [
      { type: "command.handled", key: `${message.origin.channel}\n${message.key}`, text, by: message.from },
      {
        type: "reply.queued",
        reply: ids.next("command"),
        to: message.origin,
        kind: "command",
        parts: [{ type: "text", text: answer }],
      },
    ];
  };
  const answer = await runCommand(session, message, text, { actions, answered });
  if (answer === undefined) return false;
  if (!recorded) await session.commit(...answered(answer));
  return true;
}
