/** The model that answers in this chat; another one can be chosen for it alone. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { t } from "../../i18n/work.ts";
import type { Chat } from "../../store/chat.ts";
import { patchSession, putSummary } from "../../store/sessions.ts";
import { MenuButton, type MenuEntry } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { openPanel } from "../../lib/route.ts";
import type { SessionDetail } from "../../wire.ts";

interface ModelRow {
  readonly id: string;
  readonly provider?: string;
  readonly configured?: boolean;
}

const SHOWN = 12;
/** Asked for once, with the first chat that is opened. */
const models = signal<readonly ModelRow[] | undefined>(undefined);

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

function loadModels(): void {
  if (models.value !== undefined) return;
  models.value = [];
  void api.get<{ items: readonly ModelRow[] } | readonly ModelRow[]>("/models").then(
    ({ body }) => {
      models.value = "items" in body ? body.items : body;
    },
    () => {
      models.value = undefined; // asked again when the menu is opened next
    },
  );
}

function entries(detail: SessionDetail, chat: Chat): readonly MenuEntry[] {
  const current = `${detail.model.provider}/${detail.model.model}`;
  const names = (models.value ?? [])
    .filter(({ configured }) => configured !== false)
    .map(({ id, provider }) => (provider === undefined || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`));
  const shown = [current, ...names.filter((name) => name !== current)].slice(0, SHOWN);
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
