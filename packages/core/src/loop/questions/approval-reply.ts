/** A question as a message in the chat of its turn: the words to send, and buttons where the platform has them. */
import type { JournalRecord } from "../../contract/record.ts";
import type { TurnState } from "../../contract/session.ts";
import type { ToolDeps } from "../deps.ts";
import { approvalPrompt } from "../texts.ts";

type Question = Parameters<ToolDeps["buttons"]>[1] & { readonly name: string; readonly prompt: string };

/** @param told in its place: who answers it does not read this chat. */
export function approvalReply(
  { replyTo: to }: TurnState,
  reply: string,
  asked: Question,
  { settings: { language }, buttons }: Pick<ToolDeps, "settings" | "buttons">,
  told?: string,
): JournalRecord {
  if (told !== undefined)
    return { type: "reply.queued", reply, to, kind: "approval", parts: [{ type: "text", text: told }], marks: {} };
  const text = approvalPrompt(language, asked.name, asked.prompt, asked.call);
  const question = buttons(to, asked);
  const parts = [{ type: "text", text }] as const;
  return { type: "reply.queued", reply, to, kind: "approval", parts, ...(question !== undefined && { question }) };
}
