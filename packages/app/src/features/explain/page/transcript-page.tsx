/** A subagent's conversation beside the chat: the same items, live, read-only. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { route } from "../../../web/lib/route.ts";
import { chatOf } from "../../../web/store/sessions.ts";
import { Feed } from "../../../web/chat/feed/feed.tsx";
import "../../../web/chat/chat.css";

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
