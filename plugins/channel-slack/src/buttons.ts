/** Buttons below a question: pressed here, taken away by an edit of its message. */
import type { InboundMessage } from "@margay/core/plugin";
import { messageOf } from "./api.ts";
import { escaped } from "./blocks.ts";
import { isRecord, needed, recordsOf, textOf, type Wire } from "./json.ts";
import type { Taking } from "./account.ts";

interface Pressing extends Pick<InboundMessage, "key" | "from" | "origin"> {
  readonly token: string;
}

/** Whoever pressed in vain is told why, and nobody else. @throws what `press` throws: it is offered again. */
export async function takePress(payload: Wire, { account, inbox, signal }: Taking): Promise<void> {
  const { api, host, id } = account;
  let press: Pressing | undefined;
  try {
    press = pressIn(payload, id);
  } catch (error) {
    host.deadLetter(JSON.stringify(payload), error);
  }
  if (press === undefined) return;
  const { status, text } = await inbox.press(press);
  // The message itself says what became of the question.
  if (status === "done") return;
  const { chat, thread } = press.origin;
  const note = {
    channel: chat,
    user: press.from.id,
    text: escaped(text),
    ...(thread !== undefined && { thread_ts: thread }),
  };
  await api.call("chat.postEphemeral", note, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    host.log.debug("slack.press-unanswered", { message: messageOf(error) });
  });
}

/** Undefined: no button of ours. @throws TypeError for what is no press. */
function pressIn(payload: Wire, channel: string): Pressing | undefined {
  if (payload["type"] !== "block_actions") return undefined;
  const [action] = recordsOf(payload["actions"]);
  const token = textOf(action?.["value"]);
  if (action === undefined || token === undefined || !(textOf(action["action_id"]) ?? "").startsWith("margay-"))
    return undefined;
  const container = isRecord(payload["container"]) ? payload["container"] : {};
  const user = isRecord(payload["user"]) ? payload["user"] : {};
  const message = isRecord(payload["message"]) ? payload["message"] : {};
  const chat = needed(container["channel_id"], "container.channel_id");
  const ts = needed(container["message_ts"], "container.message_ts");
  const root = textOf(message["thread_ts"]) ?? textOf(container["thread_ts"]);
  const id = needed(user["id"], "user.id");
  const name = textOf(user["name"]) ?? textOf(user["username"]);
  return {
    key: `press:${chat}:${ts}:${id}:${needed(action["action_ts"], "action_ts")}`,
    token,
    from: { id, kind: "person", ...(name !== undefined && { name }) },
    origin: { channel, chat, ...(root !== undefined && root !== ts && { thread: root }) },
  };
}
