/** Buttons below a question: drawn with it, pressed, and taken away when it is answered, however that was. */
import type { ChannelInbox } from "@margay/core/plugin";
import type { CallbackQuery } from "grammy/types";
import { ownChat } from "./moved.ts";
import type { Sender } from "./send.ts";

/** Whoever pressed is told what it did, as a note over the chat. @throws what `press` throws: it is offered again. */
export async function takePress(
  query: CallbackQuery,
  { id, api, host }: Sender & { readonly id: string },
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<void> {
  const { message, data, from } = query;
  // Of a message that is too old to be shown, or of a game.
  if (message === undefined || data === undefined) return;
  const thread =
    "is_topic_message" in message && message.is_topic_message === true ? message.message_thread_id : undefined;
  const pressed = await inbox.press({
    key: `press:${query.id}`,
    token: data,
    from: { id: String(from.id), name: [from.first_name, from.last_name].filter(Boolean).join(" "), kind: "person" },
    origin: {
      channel: id,
      chat: ownChat(host, String(message.chat.id)),
      ...(thread !== undefined && { thread: String(thread) }),
    },
  });
  const isForAll = pressed.status === "done" || pressed.status === "already";
  await api
    .call(
      "answerCallbackQuery",
      { callback_query_id: query.id, text: pressed.text.slice(0, 200), show_alert: !isForAll },
      { signal },
    )
    .catch((error: unknown) => {
      signal.throwIfAborted();
      host.log.debug("telegram.press-unanswered", { message: error instanceof Error ? error.message : String(error) });
    });
}
