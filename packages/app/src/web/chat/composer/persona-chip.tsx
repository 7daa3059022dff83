/** Who answers in this chat: another persona can be chosen for it or for all chats, from the next turn on. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../../api.ts";
import { t } from "../../texts/chat.ts";
import { languageTag } from "../../texts/index.ts";
import { openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { MenuButton, type MenuEntry } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { toast } from "../../ui/toast.tsx";
import type { SessionDetail } from "../../wire.ts";

interface Personas {
  readonly items: readonly { readonly id: string; readonly name: string }[];
  /** Of all chats that chose none of their own. */
  readonly active: string | null;
  /** The names are the gateway's: another language asks again. */
  readonly language: string;
}

const known = signal<Personas | undefined>(undefined);

export function PersonaChip({ chat }: { chat: Chat }): VNode | null {
  const detail = chat.detail.value;
  const id = detail?.overrides.persona ?? detail?.persona;
  const tag = languageTag();
  useEffect(() => {
    if (id !== undefined) void load();
  }, [id, tag]);
  if (!detail) return null;
  const name = id === undefined ? t("persona.none") : nameOf(id);
  return (
    <MenuButton
      kind="quiet"
      size="small"
      icon="mask"
      class={id === undefined ? "persona-chip none" : "persona-chip"}
      title={t("persona.of-chat", { name })}
      aria-label={t("persona.of-chat", { name })}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      entries={() => entries(detail, chat)}
    >
      <span class="truncate">{name}</span>
    </MenuButton>
  );
}

function entries(detail: SessionDetail, chat: Chat): readonly MenuEntry[] {
  const { items = [], active = null } = known.value ?? {};
  const own = detail.overrides.persona;
  const everywhere = active === null ? t("persona.none") : nameOf(active);
  const choices = items.map(({ id, name }) => ({
    label: name,
    checked: own === id,
    onSelect: () => void tell(choose(chat, id, detail.id)),
  }));
  return [
    { head: t("persona.for-chat") },
    {
      label: t("persona.as-everywhere", { name: everywhere }),
      checked: own === undefined,
      onSelect: () => void tell(choose(chat, null, detail.id)),
    },
    ...choices,
    "line",
    ...(own === undefined || own === active
      ? []
      : [{ label: t("persona.for-all", { name: nameOf(own) }), onSelect: () => void tell(choose(chat, own)) }]),
    ...(active === null ? [] : [{ label: t("persona.none-for-all"), onSelect: () => void tell(choose(chat, null)) }]),
    { label: t("persona.all"), icon: "mask", onSelect: () => openPanel("personas") },
  ];
}

/** @param session Absent: of all chats that chose none of their own. */
async function choose(chat: Chat, id: string | null, session?: string): Promise<void> {
  const body = { id, ...(session !== undefined && { session }) };
  const { effect } = (await api.put<{ effect: "next-turn" | "next-epoch" }>("/personas/active", body)).body;
  toast(t(effect === "next-turn" ? "persona.next-turn" : "persona.next-epoch"));
  await Promise.all([chat.refreshDetail(), load(true)]);
}

async function load(again = false): Promise<void> {
  const language = languageTag();
  if (!again && known.value?.language === language) return;
  try {
    const { body } = await api.get<Omit<Personas, "language">>("/personas");
    known.value = { ...body, language };
  } catch {
    // the chip keeps the names it has; asked again when it is pointed at next
  }
}

function nameOf(id: string): string {
  return known.value?.items.find((one) => one.id === id)?.name ?? id;
}
