/** A subagent's conversation beside the chat: the same items, live, read-only. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { route } from "../../lib/route.ts";
import { chatOf } from "../../store/sessions.ts";
import { Feed } from "../chat/feed.tsx";
import "../chat/chat.css";

export function TranscriptPage(): VNode {
  const [, session = ""] = (route.value.panel ?? "").split("/");
  const chat = chatOf(session);
  useEffect(() => chat.open(), [chat]);
  return (
    <div class="transcript">
      <Feed chat={chat} key={session} main={false} />
    </div>
  );
}
