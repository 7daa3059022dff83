/** Messages that wait for their moment, and what a stop took with it. */
import type { ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { t as shared } from "../../texts/index.ts";
import { t } from "../../texts/work.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Button } from "../../ui/button.tsx";
import { tell } from "../../ui/tell.ts";
import { putIntoComposer } from "./composer-text.ts";

export function QueueStrip({ chat }: { chat: Chat }): VNode | null {
  const waiting = chat.turn.value === undefined ? [] : chat.pending.value;
  const discarded = chat.stopped.value?.result.discarded ?? [];
  if (waiting.length === 0 && discarded.length === 0) return null;
  return (
    <div class="strip queue">
      {waiting.length > 0 && (
        <ul aria-label={t("queue.title")}>
          {waiting.map((item) => (
            <li key={item.id}>
              <span class="badge">{t(item.mode === "queue" ? "queue.queue" : "queue.steer")}</span>
              <span class="grow truncate">{textOf(item.parts)}</span>
              <Button
                kind="quiet"
                size="small"
                icon="edit"
                label={shared("common.edit")}
                onClick={() => void edit(chat, item)}
              />
              <Button
                kind="quiet"
                size="small"
                icon="close"
                label={shared("common.remove")}
                onClick={() => void tell(chat.withdraw(item.messageId))}
              />
            </li>
          ))}
        </ul>
      )}
      {discarded.length > 0 && (
        <div class="row">
          <span class="grow">{t("queue.discarded", { n: discarded.length })}</span>
          <Button
            size="small"
            onClick={() => {
              putIntoComposer(discarded.map(({ parts }) => textOf(parts)).join("\n\n"));
              chat.forgetStopped();
            }}
          >
            {t("queue.put-back")}
          </Button>
          <Button kind="quiet" size="small" icon="close" label={shared("common.close")} onClick={chat.forgetStopped} />
        </div>
      )}
    </div>
  );
}

async function edit(chat: Chat, item: ItemOf<"user">): Promise<void> {
  if (await tell(chat.withdraw(item.messageId))) putIntoComposer(textOf(item.parts));
}

function textOf(parts: readonly { readonly text?: string; readonly name?: string | undefined }[]): string {
  return parts.map(({ text, name }) => text ?? name ?? "").join(" ");
}
