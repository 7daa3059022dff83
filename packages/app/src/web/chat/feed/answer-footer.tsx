/** What stands under the last answer of a turn, whose place is kept until it is loaded: copy, answer again, and what it took; seen on hover and focus, always on touch. */
import { seqOf, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { t } from "../../texts/chat.ts";
import { clockTime, duration, fullTime, money, tokens } from "../../texts/format.ts";
import { number } from "../../texts/index.ts";
import { copyText } from "../../lib/clipboard.ts";
import { openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { fork } from "../../sidebar/session-menu.ts";
import { ReadAloud } from "../aloud/read-aloud.tsx";
import { useAnswerAgain } from "./answer-again.tsx";
import { useUndoFiles } from "../changes/undo-files.tsx";
import { wrote } from "../changes/wrote.ts";
import { toMemory } from "./to-memory.ts";

interface FooterProps {
  readonly chat: Chat;
  readonly item: ItemOf<"assistant">;
  readonly end: ItemOf<"turn-end">;
}

export function AnswerFooter({ chat, item, end }: FooterProps): VNode {
  const again = useAnswerAgain({
    session: chat.id.value ?? "",
    turn: item.turn,
    model: `${item.model.provider}/${item.model.model}`,
  });
  const undo = useUndoFiles(chat.id.value ?? "", item.turn);
  const { usage } = end;
  const session = chat.id.value ?? "";
  return (
    <>
      <CopyButton label={t("item.copy")} text={() => markdownOf(chat, item)} />
      <ReadAloud text={markdownOf(chat, item)} answer={() => bodyOf(item)} />
      <Button
        kind="quiet"
        size="small"
        icon="refresh"
        needs="regenerate"
        label={t("item.regenerate")}
        onClick={again.start}
      />
      <MenuButton
        kind="quiet"
        size="small"
        icon="more"
        label={t("item.actions")}
        entries={() => [
          { label: t("item.copy.plain"), icon: "copy", onSelect: () => void copyText(plainOf(item)) },
          { label: t("item.regenerate.model"), icon: "cpu", needs: "regenerate", onSelect: again.choose },
          ...(wrote(chat, item.turn)
            ? [
                {
                  label: t("item.undo"),
                  icon: "undo" as const,
                  needs: "undoTurn",
                  onSelect: () => void tell(undo.ask()),
                },
              ]
            : []),
          {
            label: t("item.fork"),
            icon: "branch",
            needs: "forkSession",
            onSelect: () => void tell(fork(session, seqOf(end))),
          },
          {
            label: t("item.explain"),
            icon: "info",
            needs: "explainTurn",
            onSelect: () => openPanel(`explain/${session}/${item.turn ?? ""}`),
          },
          {
            label: t("item.memory"),
            icon: "brain",
            onSelect: () => void tell(toMemory(chosenIn(item) ?? markdownOf(chat, item))),
          },
        ]}
      />
      <span class="stats muted small">
        <span title={`${item.model.provider}/${item.model.model}`}>{item.model.model}</span>
        <time dateTime={new Date(item.at).toISOString()} title={fullTime(item.at)}>
          {clockTime(item.at)}
        </time>
        <span title={t("stats.time")}>{duration(end.ms)}</span>
        <span title={t("stats.turn")}>
          {t("stats.tokens", { input: tokens(usage.input), output: tokens(usage.output) })}
        </span>
        {usage.cacheRead > 0 && usage.input > 0 && (
          <span>{t("stats.cache", { share: number(Math.round((100 * usage.cacheRead) / usage.input)) })}</span>
        )}
        {usage.costUsd !== undefined && <span title={t("stats.cost")}>{money(usage.costUsd)}</span>}
      </span>
      {again.dialog}
      {undo.dialog}
    </>
  );
}

/** Of the whole turn, as the model wrote it. */
function markdownOf(chat: Chat, item: ItemOf<"assistant">): string {
  return chat.items
    .peek()
    .flatMap((one) => (one.kind === "assistant" && one.turn === item.turn ? one.parts : []))
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n");
}

/** What is marked in this answer, when something is. */
function chosenIn(item: ItemOf<"assistant">): string | undefined {
  const selection = getSelection();
  const text = selection?.toString().trim() ?? "";
  const place = selection?.anchorNode?.parentElement?.closest(`[data-item="${CSS.escape(item.id)}"]`);
  return place && text !== "" ? text : undefined;
}

function plainOf(item: ItemOf<"assistant">): string {
  return bodyOf(item)?.textContent ?? "";
}

function bodyOf({ id }: ItemOf<"assistant">): Element | null {
  return document.querySelector(`[data-item="${CSS.escape(id)}"] .item-body`);
}
