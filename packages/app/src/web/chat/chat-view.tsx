/** One conversation: header, state of the line, messages, what waits for you, composer. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../texts/chat.ts";
import { t as shared } from "../texts/index.ts";
import { api } from "../api.ts";
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
import { Button } from "../ui/button.tsx";
import { problemFrom } from "../ui/problem.tsx";
import { TemporaryLine } from "./temporary-line.tsx";
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
      <TemporaryLine chat={chat} />
      {gone && state.status === "failed" ? (
        <Empty icon="chat">
          <Gone error={state.error} id={chat.id.value} />
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

function Gone({ error, id }: { error: unknown; id: string | undefined }): VNode {
  const { code, detail } = problemFrom(error);
  return (
    <>
      <p>{code === "session.not-found" ? t("session.gone") : detail}</p>
      {code === "auth.private" && (
        <Button onClick={() => void api.post(`/sessions/${id}/open`).then(() => location.reload())}>
          {shared("common.open")}
        </Button>
      )}
    </>
  );
}
