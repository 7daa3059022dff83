/** Under the last answer of a turn: copy, answer again, and what it took; seen on hover and focus, always on touch. */
import type { ItemOf } from "@margay/core/state";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../../api.ts";
import { t } from "../../i18n/chat.ts";
import { clockTime, duration, fullTime, money, tokens } from "../../i18n/format.ts";
import { number, t as shared } from "../../i18n/index.ts";
import { copyText } from "../../lib/clipboard.ts";
import { navigate, openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat.ts";
import { seqOf } from "../../store/display-order.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { fork } from "../sidebar/session-menu.ts";

interface FooterProps {
  readonly chat: Chat;
  readonly item: ItemOf<"assistant">;
  readonly end: ItemOf<"turn-end">;
}

export function AnswerFooter({ chat, item, end }: FooterProps): VNode {
  const [writes, setWrites] = useState<readonly string[]>();
  const again = async (confirmWrites: boolean): Promise<void> => {
    try {
      const body = { turn: item.turn, ...(confirmWrites && { confirmWrites }) };
      const answer = await api.post<{ session: string }>(`/sessions/${chat.id.value ?? ""}/regenerate`, body);
      setWrites(undefined);
      navigate({ page: "chat", session: answer.body.session });
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "turn.has-writes") return setWrites(namesOf(error));
      throw error;
    }
  };
  const { usage } = end;
  const session = chat.id.value ?? "";
  return (
    <footer class="column item-foot">
      <CopyButton label={t("item.copy")} text={() => markdownOf(chat, item)} />
      <Button
        kind="quiet"
        size="small"
        icon="refresh"
        label={t("item.regenerate")}
        onClick={() => void tell(again(false))}
      />
      <MenuButton
        kind="quiet"
        size="small"
        icon="more"
        label={t("item.actions")}
        entries={() => [
          { label: t("item.copy.plain"), icon: "copy", onSelect: () => void copyText(plainOf(item)) },
          { label: t("item.fork"), icon: "branch", onSelect: () => void tell(fork(session, seqOf(end))) },
          {
            label: t("item.explain"),
            icon: "info",
            onSelect: () => openPanel(`explain/${session}/${item.turn ?? ""}`),
          },
        ]}
      />
      <span class="stats muted small">
        <span title={`${item.model.provider}/${item.model.model}`}>{item.model.model}</span>
        <time dateTime={new Date(item.at).toISOString()} title={fullTime(item.at)}>
          {clockTime(item.at)}
        </time>
        <span title={t("stats.time")}>{duration(end.ms)}</span>
        <span title={t("stats.usage")}>
          {t("stats.tokens", { input: tokens(usage.input), output: tokens(usage.output) })}
        </span>
        {usage.cacheRead > 0 && usage.input > 0 && (
          <span>{t("stats.cache", { share: number(Math.round((100 * usage.cacheRead) / usage.input)) })}</span>
        )}
        {usage.costUsd !== undefined && <span title={t("stats.cost")}>{money(usage.costUsd)}</span>}
      </span>
      {writes && (
        <Dialog
          title={t("item.regenerate")}
          onClose={() => setWrites(undefined)}
          footer={
            <>
              <Button onClick={() => setWrites(undefined)}>{shared("common.cancel")}</Button>
              <Button kind="primary" onClick={() => void tell(again(true))}>
                {t("item.writes.go")}
              </Button>
            </>
          }
        >
          <div class="stack">
            <p>{t("item.writes")}</p>
            <ul class="plain-list">
              {writes.map((name, index) => (
                <li key={index}>
                  <code>{name}</code>
                </li>
              ))}
            </ul>
          </div>
        </Dialog>
      )}
    </footer>
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

function plainOf(item: ItemOf<"assistant">): string {
  return document.querySelector(`[data-item="${CSS.escape(item.id)}"] .item-body`)?.textContent ?? "";
}

/** The calls that changed something, as the problem lists them. */
function namesOf({ problem }: ApiProblem): readonly string[] {
  const given = problem["calls"] ?? problem["writes"] ?? problem.errors ?? [];
  if (!Array.isArray(given)) return [problem.detail];
  const names = given.map((one: unknown) => {
    if (typeof one === "string") return one;
    if (typeof one !== "object" || one === null) return "";
    const { name, preview, message } = one as { name?: string; preview?: string; message?: string };
    return [name, preview ?? message].filter(Boolean).join(" ");
  });
  return names.length === 0 ? [problem.detail] : names;
}
