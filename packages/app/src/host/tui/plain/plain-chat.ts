/** What a chat of lines holds. */
import type { ChatSession } from "../../sessions/chat-agent.ts";
import type { ChatApp } from "../chat-app.ts";
import type { Conversation, PendingApproval } from "../conversation.ts";
import type { History } from "../input/history.ts";
import type { Remedies } from "../layout/remedies.ts";
import type { ChatTexts } from "../texts.ts";
import type { Lines } from "./lines.ts";

export interface PlainChat {
  readonly app: ChatApp;
  readonly key: string;
  readonly session: ChatSession;
  readonly conversation: Conversation;
  readonly lines: Lines;
  readonly texts: ChatTexts;
  readonly quit: AbortController;
  readonly history: History;
  readonly say: Lines["say"];
  readonly close: () => void;
  /** The next line says why this is refused. */
  refusing: PendingApproval | undefined;
  /** What was offered against the end of the last turn; `id` is of that end. */
  remedies: { readonly id: string; readonly remedies: Remedies } | undefined;
  /** The next line is the new key of this provider. */
  keyOf: string | undefined;
}
