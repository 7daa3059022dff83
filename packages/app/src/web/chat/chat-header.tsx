/** Title, where the chat lives, model, how full the context is, what it cost, and what can be done with it. */
import type { VNode } from "preact";
import { api } from "../api.ts";
import { may } from "../auth.ts";
import { t } from "../texts/chat.ts";
import { money } from "../texts/format.ts";
import { t as shared } from "../texts/index.ts";
import { keyLabel } from "../lib/keys.ts";
import { openPanel } from "../lib/route.ts";
import type { Chat } from "../store/chat-state.ts";
import { summaries } from "../store/sessions.ts";
import { Button } from "../ui/button.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { tell } from "../ui/tell.ts";
import type { SessionSummary } from "../wire.ts";
import { toggleList } from "../shell/layout.ts";
import { startNewChat } from "../shell/new-chat.ts";
import { sessionMenu } from "../sidebar/session-menu.ts";
import { TitleField } from "../sidebar/title-field.tsx";
import { compact, ContextRing, goOnWithSummary } from "./context-ring.tsx";
import { Branches, familyOf } from "./own/branches.tsx";
import { findOpen } from "./feed/find.ts";
import { ModelChip } from "./composer/model-chip.tsx";
import { PersonaChip } from "./composer/persona-chip.tsx";
import { rename, renaming } from "./renaming.ts";

export function ChatHeader({ chat }: { chat: Chat }): VNode {
  const id = chat.id.value;
  const detail = chat.detail.value;
  const summary: SessionSummary | undefined = (id === undefined ? undefined : summaries.value.get(id)) ?? detail;
  const title = summary === undefined || summary.title === "" ? t("list.untitled") : summary.title;
  return (
    <header class="chat-head">
      <Button kind="quiet" icon="sidebar" class="chat-list-button" label={t("list.toggle")} onClick={toggleList} />
      {summary !== undefined && summary.source !== "temporary" ? (
        <Title summary={summary} title={title} />
      ) : (
        <h1 class="chat-title" dir="auto">
          {title}
        </h1>
      )}
      {summary?.source === "channel" && (
        <span class="badge" title={summary.key}>
          {summary.channel}
          {summary.peer !== undefined && ` · ${summary.peer}`}
        </span>
      )}
      {summary?.audience !== undefined && (
        <span class="badge">
          {summary.audience === "guest" ? t("session.ofGuests") : t("session.ofPerson", { name: summary.audience })}
        </span>
      )}
      {summary?.agent !== undefined && (
        <span class="badge" title={t("session.agent-by", { rule: summary.agent.rule })}>
          {t("session.agent", { name: summary.agent.name })}
        </span>
      )}
      <span class="grow" />
      {detail && <Branches family={familyOf(detail)} id={detail.id} label={t("session.branches")} />}
      <span class="chat-about">
        {may("activatePersona") && <PersonaChip chat={chat} />}
        {may("listModels") && <ModelChip chat={chat} />}
        {detail && detail.costUsd !== null && detail.costUsd > 0 && (
          <span class="badge cost" title={t("session.cost")}>
            {money(detail.costUsd)}
          </span>
        )}
      </span>
      {detail && detail.context.window > 0 && may("readContext") && <ContextRing chat={chat} detail={detail} />}
      {summary && id !== undefined && (
        <MenuButton kind="quiet" icon="more" label={t("session.menu", { title })} entries={() => menu(chat, summary)} />
      )}
      <Button kind="quiet" icon="plus" class="chat-new-button" label={t("list.new")} onClick={startNewChat} />
    </header>
  );
}

function Title({ summary, title }: { summary: SessionSummary; title: string }): VNode {
  if (renaming.value === summary.id)
    return <TitleField summary={summary} class="chat-title-input" onDone={() => (renaming.value = undefined)} />;
  return (
    <h1 class="chat-title" dir="auto">
      <button type="button" class="truncate" title={shared("common.rename")} onClick={() => rename(summary.id)}>
        {title}
      </button>
    </h1>
  );
}

function menu(chat: Chat, summary: SessionSummary): readonly MenuEntry[] {
  const { id } = summary;
  const last = chat.items.value.findLast((item) => item.kind === "turn-end")?.turn;
  return [
    { label: t("session.find"), icon: "search", note: keyLabel("Mod+F"), onSelect: () => (findOpen.value = true) },
    ...(last === undefined
      ? []
      : [
          {
            label: t("session.explain"),
            icon: "info" as const,
            needs: "explainTurn",
            onSelect: () => openPanel(`explain/${id}/${last}`),
          },
        ]),
    {
      label: t("session.compact"),
      icon: "layers",
      onSelect: () => void tell(compact(id)),
    },
    {
      label: t("session.goOn"),
      icon: "plus",
      needs: "summarizeIntoNew",
      onSelect: () => void tell(goOnWithSummary(id)),
    },
    { label: t("session.reset"), icon: "refresh", onSelect: () => void tell(api.post(`/sessions/${id}/reset`)) },
    "line",
    ...sessionMenu(summary, () => rename(id)),
  ];
}
