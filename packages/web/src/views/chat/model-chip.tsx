/** The model that answers in this chat; another one can be chosen for it alone. */
import type { VNode } from "preact";
import { t } from "../../i18n/work.ts";
import type { Chat } from "../../store/chat.ts";
import { patchSession, putSummary } from "../../store/sessions.ts";
import { MenuButton, type MenuEntry } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { openPanel } from "../../lib/route.ts";
import type { SessionDetail } from "../../wire.ts";
import { loadModels, modelNames } from "./models.ts";

const SHOWN = 12;

export function ModelChip({ chat }: { chat: Chat }): VNode | null {
  const detail = chat.detail.value;
  if (!detail) return null;
  const { model } = detail;
  return (
    <MenuButton
      kind="quiet"
      size="small"
      class="model-chip"
      title={`${model.provider}/${model.model}`}
      onPointerEnter={loadModels}
      onFocus={loadModels}
      entries={() => entries(detail, chat)}
    >
      <span class="truncate">{model.model}</span>
    </MenuButton>
  );
}

function entries(detail: SessionDetail, chat: Chat): readonly MenuEntry[] {
  const current = `${detail.model.provider}/${detail.model.model}`;
  const shown = [current, ...modelNames().filter((name) => name !== current)].slice(0, SHOWN);
  return [
    { head: t("model.for-chat") },
    ...shown.map((name) => ({
      label: name,
      checked: name === current,
      onSelect: () => void tell(choose(detail, chat, name)),
    })),
    ...(detail.overrides.model === undefined
      ? []
      : [{ label: t("model.as-configured"), onSelect: () => void tell(choose(detail, chat, null)) }]),
    "line",
    { label: t("model.all"), icon: "cpu", onSelect: () => openPanel("models") },
  ];
}

async function choose(detail: SessionDetail, chat: Chat, model: string | null): Promise<void> {
  const body = await patchSession(detail.id, { model });
  chat.setDetail(body);
  putSummary(body);
}
