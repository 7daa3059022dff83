/** Everything in the feed that is not an answer: your messages, notes, markers, ends of turns, deliveries. */
import type { Item } from "@margay/core/state";
import type { ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { t } from "../../texts/chat.ts";
import { clockTime, fullTime } from "../../texts/format.ts";
import { t as shared } from "../../texts/index.ts";
import { line } from "../../connection.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import type { Chat } from "../../store/chat-state.ts";
import type { Outgoing } from "../../store/outgoing.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { tell } from "../../ui/tell.ts";
import { isForeign } from "../../wire.ts";
import { Lazy } from "../../shell/lazy.tsx";
import type { Place } from "./answer-item.tsx";
import { MediaView } from "./media.tsx";
import { editing, isEditable } from "../own/editing.ts";
import { UserText } from "./user-text.tsx";

type Other = Exclude<Item, { kind: "assistant" }>;

export function OtherItem({ item, chat, place }: { item: Other; chat: Chat; place: Place }): VNode {
  switch (item.kind) {
    case "user":
      if (item.from.kind !== "person") return <Report item={item} chat={chat} place={place} />;
      return <UserItem item={item} chat={chat} place={place} />;
    case "notice":
      return <Notice item={item} />;
    case "compaction":
      return <Folded dataKey={item.id} title={t("notice.summary")} text={item.summary} />;
    case "epoch":
      return <Marker text={t(`epoch.${item.because}`)} />;
    case "cleared":
      return <Marker text={t("cleared")} />;
    case "turn-end":
      return <Lazy load={turnEnd} props={{ item, chat, place }} />;
    case "delivery":
      return <Delivery item={item} />;
  }
}

const turnEnd = async () => (await import("../remedies/turn-end.tsx")).TurnEnd;
const ownActions = async () => (await import("../own/own-message.tsx")).OwnMessageActions;
const editOwn = async () => (await import("../own/edit-own.tsx")).EditOwn;

function UserItem({ item, chat, place }: { item: ItemOf<"user">; chat: Chat; place: Place }): VNode {
  const foreign = isForeign(item.origin);
  const edit = (): void => {
    if (isEditable(item)) editing.value = item.id;
  };
  const who = foreign ? [item.from.name ?? item.from.id, item.origin.channel].filter(Boolean).join(" · ") : undefined;
  return (
    <article
      class={`item user ${item.state}`}
      data-item={item.id}
      tabIndex={-1}
      aria-label={who ?? t("item.you")}
      {...place}
    >
      <div class="column">
        {editing.value === item.id ? (
          <Lazy over load={editOwn} props={{ item, chat }} />
        ) : (
          <div class="bubble item-body" onDblClick={edit}>
            {who !== undefined && <div class="small muted who">{who}</div>}
            {item.parts.map((part, index) =>
              part.type === "text" ? (
                <UserText key={index} text={part.text} cut={part.cut} />
              ) : (
                <MediaView key={index} part={part} session={chat.id.value} />
              ),
            )}
          </div>
        )}
        <div class="user-foot muted small">
          {item.command === true && <span>{t("item.command")}</span>}
          {item.state === "withdrawn" && <span>{t("item.withdrawn")}</span>}
          <time dateTime={new Date(item.at).toISOString()} title={fullTime(item.at)}>
            {clockTime(item.at)}
          </time>
          <Lazy over load={ownActions} props={{ item, chat }} />
        </div>
      </div>
    </article>
  );
}

/** What another part of margay put in: a subagent's result, the task of a job. Nobody said it, and it looks like nobody's words. */
function Report({ item, chat, place }: { item: ItemOf<"user">; chat: Chat; place: Place }): VNode {
  const title = t(
    item.from.kind === "schedule" ? "item.schedule" : item.from.id === "subagent" ? "item.subagent" : "item.agent",
  );
  return (
    <article class="item report" data-item={item.id} tabIndex={-1} aria-label={title} {...place}>
      <div class="column item-body report-box">
        <div class="row small muted">
          <Icon name={item.from.kind === "schedule" ? "clock" : "branch"} size={14} />
          <span class="grow">{[title, item.from.name].filter(Boolean).join(" · ")}</span>
          <time dateTime={new Date(item.at).toISOString()} title={fullTime(item.at)}>
            {clockTime(item.at)}
          </time>
        </div>
        {item.parts.map((part, index) =>
          part.type !== "text" ? (
            <MediaView key={index} part={part} session={chat.id.value} />
          ) : part.cut === undefined ? (
            <Markdown key={index} text={part.text} />
          ) : (
            <UserText key={index} text={part.text} cut={part.cut} />
          ),
        )}
      </div>
    </article>
  );
}

/** Drawn before the gateway answered; refused ones stay with what to do. */
export function OutgoingItem({ message, chat, place }: { message: Outgoing; chat: Chat; place: Place }): VNode {
  const { problem } = message;
  return (
    <article class="item user sending" tabIndex={-1} aria-label={t("item.you")} {...place}>
      <div class="column">
        <div class="bubble item-body">
          {message.parts.map((part, index) =>
            part.type === "text" ? (
              <UserText key={index} text={part.text} cut={undefined} />
            ) : (
              <MediaView key={index} part={part} session={undefined} />
            ),
          )}
        </div>
        {problem === undefined ? (
          <div class="user-foot muted small">
            {t(line.value.state === "open" ? "item.sending" : "item.waiting-line")}
          </div>
        ) : (
          <div class="user-foot small" role="alert">
            <Icon name="alert" size={15} class="danger-ink" />
            <span class="grow">
              {t("item.refused")}: {problem.detail} {problem.remedy} <code class="muted">{problem.code}</code>
            </span>
            <Button size="small" onClick={() => chat.resend(message.key)}>
              {shared("common.retry")}
            </Button>
            <Button
              size="small"
              kind="quiet"
              icon="close"
              label={shared("common.remove")}
              onClick={() => chat.discard(message.key)}
            />
          </div>
        )}
      </div>
    </article>
  );
}

function Notice({ item }: { item: ItemOf<"notice"> }): VNode {
  if (item.notice === "command")
    return (
      <article class="item notice-command" aria-label={t("notice.command")} data-item={item.id} tabIndex={-1}>
        <div class="column item-body">
          <Markdown text={item.text} />
        </div>
      </article>
    );
  return <Folded dataKey={item.id} title={t(`notice.${item.notice}`)} text={item.text} />;
}

function Folded({ dataKey, title, text }: { dataKey: string; title: string; text: string }): VNode {
  return (
    <article class="item marker" aria-label={title} data-item={dataKey} tabIndex={-1}>
      <details class="column">
        <summary class="muted small">{title}</summary>
        <div class="marker-text">{text}</div>
      </details>
    </article>
  );
}

function Marker({ text }: { text: string }): VNode {
  return (
    <div class="feed-line">
      <span class="muted small">{text}</span>
    </div>
  );
}

function Delivery({ item }: { item: ItemOf<"delivery"> }): VNode {
  const to = item.to.channel;
  const failed = item.state === "failed";
  const stuck = item.state !== "delivered" && (item.state !== "queued" || item.retryAt !== undefined);
  const act = (what: "retry" | "drop"): void =>
    void tell(api.post(`/outbox/${encodeURIComponent(item.reply)}/${what}`));
  return (
    <div class="item">
      <div class={`column delivery small ${failed ? "danger-ink" : "muted"}`}>
        <Icon name={item.state === "delivered" ? "check" : failed ? "alert" : "clock"} size={14} />
        <span>{t(`delivery.${item.state}`, { to })}</span>
        {item.error && <span>{item.error.message}</span>}
        {item.retryAt !== undefined && <span>{t("delivery.next", { time: clockTime(item.retryAt) })}</span>}
        {stuck && (
          <Button size="small" needs="retryReply" onClick={() => act("retry")}>
            {shared("common.retry")}
          </Button>
        )}
        {stuck && !failed && (
          <Button size="small" kind="quiet" needs="dropReply" onClick={() => act("drop")}>
            {t("delivery.drop")}
          </Button>
        )}
      </div>
    </div>
  );
}
