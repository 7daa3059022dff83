/** A button of a card was pressed: whoever pressed is told what it did, over their chat. */
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import type { Taking } from "./take.ts";

/** @returns what the client is shown; undefined: it was no button of ours. @throws what `press` throws. */
export async function takePress(
  key: string,
  event: Wire,
  { account, inbox, signal }: Taking,
): Promise<Wire | undefined> {
  const action = isRecord(event["action"]) ? event["action"] : {};
  const value = isRecord(action["value"]) ? action["value"] : {};
  const token = textOf(value["token"]);
  if (token === undefined) return undefined;
  const operator = isRecord(event["operator"]) ? event["operator"] : {};
  const context = isRecord(event["context"]) ? event["context"] : {};
  const id = needed(operator["open_id"], "operator.open_id");
  const thread = textOf(value["thread"]);
  const name = await account.people.nameOf(id, signal);
  const pressed = await inbox.press({
    key,
    token,
    from: { id, kind: "person", ...(name !== undefined && { name }) },
    origin: {
      channel: account.id,
      chat: needed(context["open_chat_id"], "context.open_chat_id"),
      ...(thread !== undefined && { thread }),
    },
  });
  const isDone = pressed.status === "done" || pressed.status === "already";
  return { toast: { type: isDone ? "success" : "warning", content: pressed.text } };
}
