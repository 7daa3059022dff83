/** One conversation: header, state of the line, messages, what waits for you, composer. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../texts/chat.ts";
import { login } from "../auth.ts";
import type { Chat } from "../store/chat-state.ts";
import { Empty } from "../ui/states.tsx";
import { ApprovalStrip } from "./calls/approval-strip.tsx";
import { useAnnouncements } from "./feed/announcements.ts";
import { ChatHeader } from "./chat-header.tsx";
import { Composer } from "./composer/composer.tsx";
import { Feed } from "./feed/feed.tsx";
import { LineBar } from "./connection-bar.tsx";
import { QueueStrip } from "./composer/queue-strip.tsx";
import { problemFrom } from "../ui/problem.tsx";
import { chatCovered } from "../shell/layout.ts";
import { Banner } from "./banner.tsx";
import "./chat.css";

export function ChatView({ chat }: { chat: Chat }): VNode {
  useEffect(() => chat.open(), [chat]);
  useAnnouncements(chat);
  const state = chat.state.value;
  const { detail } = chat;
  const gone = state.status === "failed" || (detail.value === undefined && login.value === "out");
  return (
    <main class="chat" aria-label={t("feed.title")} inert={chatCovered.value}>
      <ChatHeader chat={chat} />
      <LineBar />
      <Banner />
      {gone && state.status === "failed" ? (
        <Empty icon="chat">
          <p>
            {problemFrom(state.error).code === "session.not-found"
              ? t("session.gone")
              : problemFrom(state.error).detail}
          </p>
        </Empty>
      ) : (
        <>
          <Feed chat={chat} />
          <div class="chat-foot">
            <ApprovalStrip chat={chat} />
            <QueueStrip chat={chat} />
            <Composer chat={chat} />
          </div>
        </>
      )}
    </main>
  );
}
