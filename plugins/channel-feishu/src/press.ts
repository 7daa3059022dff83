/** A button of a card was pressed: whoever pressed is told what it did, over their chat. */
import { isRecord, needed, textOf, type Wire } from "./json.ts";
import type { Taking } from "./take.ts";

interface Press {
  readonly token: string;
  readonly id: string;
  readonly chat: string;
  readonly thread: string | undefined;
}

/** @returns what the client is shown; undefined: it was no button of ours. @throws what `press` throws. */
export async function takePress(key: string, event: Wire, { account, inbox }: Taking): Promise<Wire | undefined> {
  let press: Press | undefined;
  try {
    press = pressOf(event);
  } catch (error) {
    account.host.deadLetter(JSON.stringify(event), error);
  }
  if (press === undefined) return undefined;
  const { token, id, chat, thread } = press;
  const pressed = await inbox.press({
    key,
    token,
    from: { id, kind: "person" },
    origin: { channel: account.id, chat, ...(thread !== undefined && { thread }) },
  });
  const isDone = pressed.status === "done" || pressed.status === "already";
  return { toast: { type: isDone ? "success" : "warning", content: pressed.text } };
}

/** Undefined: no button of ours. @throws TypeError for a form that nobody foresaw. */
function pressOf(event: Wire): Press | undefined {
  const action = isRecord(event["action"]) ? event["action"] : {};
  const value = isRecord(action["value"]) ? action["value"] : {};
  const token = textOf(value["token"]);
  if (token === undefined) return undefined;
  const operator = isRecord(event["operator"]) ? event["operator"] : {};
  const context = isRecord(event["context"]) ? event["context"] : {};
  return {
    token,
    id: needed(operator["open_id"], "operator.open_id"),
    chat: needed(context["open_chat_id"], "context.open_chat_id"),
    thread: textOf(value["thread"]),
  };
}
