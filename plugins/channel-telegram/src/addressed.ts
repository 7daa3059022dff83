/** Whom a message means, from what Telegram says of it. Pure. */
import type { InboundMessage } from "@margay/core/plugin";
import type { Message, MessageEntity, User } from "grammy/types";

type Addressed = NonNullable<InboundMessage["addressed"]>;
export type Me = Pick<User, "id" | "username">;

interface Part {
  readonly type: MessageEntity["type"];
  readonly offset: number;
  readonly text: string;
  readonly user?: User;
}

/** Undefined: it is said to all. */
export function addressedOf(message: Message, me: Me): Addressed | undefined {
  const parts = partsOf(message);
  const first = parts.find(({ offset }) => offset === 0);
  const command = commandOf(message, me);
  if (command !== undefined) return command.isOurs ? "command" : "other";
  if (parts.some((part) => names(part, me) === "us")) return "named";
  const reply = answeredBy(message)?.from;
  if (reply?.id === me.id) return "reply";
  if (first !== undefined && names(first, me) === "other") return "other";
  // To add to one's own words is no talk with somebody else.
  return reply !== undefined && reply.id !== message.from?.id ? "other" : undefined;
}

/** The text or the caption, where `/command@us` is `/command`. */
export function wordsOf(message: Message, me: Me): string {
  const text = textOf(message);
  const command = commandOf(message, me);
  return command?.isOurs === true ? command.name + text.slice(command.length) : text;
}

function commandOf(
  message: Message,
  me: Me,
): { readonly name: string; readonly length: number; readonly isOurs: boolean } | undefined {
  const found = partsOf(message).find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (found === undefined) return undefined;
  const [name = "", at] = found.text.split("@");
  return { name, length: found.text.length, isOurs: at === undefined || isUs(at, me) };
}

function names({ type, text, user }: Part, me: Me): "us" | "other" | undefined {
  if (type === "text_mention") return user?.id === me.id ? "us" : "other";
  if (type !== "mention") return undefined;
  return isUs(text.slice(1), me) ? "us" : "other";
}

function isUs(name: string, { username = "" }: Me): boolean {
  return username !== "" && name.toLowerCase() === username.toLowerCase();
}

/** Without what stands in code: it is quoted, not said. */
function partsOf(message: Message): readonly Part[] {
  const text = textOf(message);
  const entities = message.entities ?? message.caption_entities ?? [];
  const code = entities.filter(({ type }) => type === "code" || type === "pre");
  const isCode = ({ offset }: MessageEntity): boolean =>
    code.some((other) => offset >= other.offset && offset < other.offset + other.length);
  return entities
    .filter((entity) => !isCode(entity))
    .map((entity) => ({
      type: entity.type,
      offset: entity.offset,
      text: text.slice(entity.offset, entity.offset + entity.length),
      ...(entity.type === "text_mention" && { user: entity.user }),
    }));
}

/** Which message is answered. In a topic everything answers the message that opened it. */
export function answeredBy(message: Message): NonNullable<Message["reply_to_message"]> | undefined {
  const { reply_to_message: answered, is_topic_message: inTopic, message_thread_id: topic } = message;
  return inTopic === true && answered?.message_id === topic ? undefined : answered;
}

function textOf({ text, caption }: Message): string {
  return text ?? caption ?? "";
}
