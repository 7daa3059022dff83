/** The model that answers in this chat; another one can be chosen for it alone. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { patchSession, putSummary } from "../../store/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { tell } from "../../ui/tell.ts";
import type { SessionDetail } from "../../wire.ts";
import { Lazy } from "../../shell/lazy.tsx";

export function ModelChip({ chat }: { chat: Chat }): VNode | null {
  const [open, setOpen] = useState(false);
  const detail = chat.detail.value;
  if (!detail) return null;
  const { model } = detail;
  const name = `${model.provider}/${model.model}`;
  const choose = (next: string | null): void => {
    setOpen(false);
    void tell(change(detail, chat, next));
  };
  return (
    <>
      <Button
        kind="quiet"
        size="small"
        class="model-chip"
        title={name}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <span class="truncate">{model.model}</span>
      </Button>
      {open && (
        <Lazy
          over
          load={async () => (await import("../../models/chat-model.tsx")).ChatModel}
          props={{
            value: name,
            pictures: picturesIn(chat),
            isOwn: detail.overrides.model !== undefined,
            onChoose: choose,
            onClose: () => setOpen(false),
            onAll: () => {
              setOpen(false);
              openPanel("models");
            },
          }}
        />
      )}
    </>
  );
}

/** Of those that people sent. */
function picturesIn(chat: Chat): number {
  const parts = chat.items.value.flatMap((item) => (item.kind === "user" ? item.parts : []));
  return parts.filter((part) => part.type === "media" && part.mediaType.startsWith("image/")).length;
}

async function change(detail: SessionDetail, chat: Chat, model: string | null): Promise<void> {
  const body = await patchSession(detail.id, { model });
  chat.setDetail(body);
  putSummary(body);
}
