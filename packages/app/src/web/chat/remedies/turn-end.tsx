/** Why a turn ended otherwise than with an answer: one sentence, the cause, and first the button that fits. */
import type { ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { may } from "../../auth.ts";
import { openPanel } from "../../lib/route.ts";
import { Lazy } from "../../shell/lazy.tsx";
import type { Chat } from "../../store/chat-state.ts";
import { t as chatText } from "../../texts/chat.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { tell } from "../../ui/tell.ts";
import type { Place } from "../feed/answer-item.tsx";
import { compact } from "../context-ring.tsx";
import { KeyField } from "./key-field.tsx";
import { othersFor, switchTo, type Others } from "./others.ts";
import { RaiseBudget } from "./raise-budget.tsx";
import { remedyOf, type Remedy } from "./remedy.ts";
import { t } from "./texts.ts";
import "./remedies.css";

type End = ItemOf<"turn-end">;

export function TurnEnd({ item, chat, place }: { item: End; chat: Chat; place: Place }): VNode {
  const { reason, error, notice } = item;
  const failed = reason === "failed" || reason === "budget";
  const isLast = chat.items.value.at(-1)?.id === item.id && chat.turn.value === undefined;
  const title = reason === "done" ? "" : t(`ended.${reason}`);
  const remedy = isLast ? remedyOf(reason, error?.code) : undefined;
  const head = (failed && remedy !== undefined ? t.find(`head.${remedy}`) : undefined) ?? notice ?? title;
  const cause = error?.message ?? notice;
  return (
    <article class="item" aria-label={head} data-item={item.id} tabIndex={-1} {...place}>
      <div class="column">
        <div class={failed ? "note-box danger remedy" : "note-box"}>
          <Icon name={failed ? "alert" : reason === "cancelled" ? "stop" : "info"} size={16} />
          <div class="grow stack">
            <div class="remedy-head">
              <div>{head}</div>
              {error && !head.includes(error.code) && <code class="muted small">{error.code}</code>}
            </div>
            {cause !== undefined && cause !== head && <div class="muted">{cause}</div>}
            {remedy !== undefined && <Remedies key={item.id} chat={chat} remedy={remedy} error={error} />}
          </div>
        </div>
      </div>
    </article>
  );
}

interface RemediesProps {
  readonly chat: Chat;
  readonly remedy: Remedy;
  readonly error: End["error"];
}

function Remedies({ chat, remedy, error }: RemediesProps): VNode {
  const [open, setOpen] = useState<"form" | "models">();
  const others = useOthers(chat, remedy);
  const detail = chat.detail.value;
  const say = (text: string): void => chat.send([{ type: "text", text }]);
  const again = (): void => say(chatText("turn.again"));
  const goOn = (): void => say(chatText("turn.continue"));
  const use = (model: string): void => {
    setOpen(undefined);
    if (detail) void tell(switchTo(chat, detail, model).then(again));
  };
  const summarize = async (session: string): Promise<void> => {
    await compact(session);
    goOn(); // after it, in the lane of the conversation
  };
  if (open === "form" && remedy === "key" && detail)
    return <KeyField provider={detail.model.provider} onSaved={again} onClose={() => setOpen(undefined)} />;
  if (open === "form" && remedy === "budget")
    return <RaiseBudget error={error} onRaised={again} onClose={() => setOpen(undefined)} />;
  const another = remedy === "budget" ? others.free : others.fallback;
  return (
    <div class="remedy-actions">
      {remedy === "key" && (
        <Button kind="primary" size="small" icon="key" needs="putProvider" onClick={() => setOpen("form")}>
          {t("key.set")}
        </Button>
      )}
      {remedy === "budget" && (
        <Button kind="primary" size="small" needs="putBudgets" onClick={() => setOpen("form")}>
          {t("budget.raise")}
        </Button>
      )}
      {remedy === "context" && detail && (
        <Button kind="primary" size="small" needs="compactSession" onClick={() => void tell(summarize(detail.id))}>
          {t("context.summarize")}
        </Button>
      )}
      {remedy === "model" && may("listModels") && (
        <Button kind="primary" size="small" icon="cpu" onClick={() => setOpen("models")}>
          {t("model.choose")}
        </Button>
      )}
      {another !== undefined && (
        <Button size="small" onClick={() => use(another)}>
          {t(remedy === "budget" ? "model.free" : "model.use", { model: shortName(another) })}
        </Button>
      )}
      {remedy === "limit" && (
        <Button kind="primary" size="small" onClick={goOn}>
          {chatText("turn.continue")}
        </Button>
      )}
      {remedy !== "budget" && remedy !== "limit" && remedy !== "context" && (
        <Button size="small" kind={remedy === "other" ? "primary" : "quiet"} onClick={again}>
          {chatText("turn.again")}
        </Button>
      )}
      <Page remedy={remedy} />
      {open === "models" && detail && (
        <Lazy
          over
          load={async () => (await import("../../models/picker.tsx")).ModelPicker}
          props={{
            title: t("model.choose"),
            value: `${detail.model.provider}/${detail.model.model}`,
            onChoose: use,
            onClose: () => setOpen(undefined),
          }}
        />
      )}
    </div>
  );
}

const PAGES = {
  key: ["page.models", "listModels", "models"],
  model: ["page.models", "listModels", "models"],
  budget: ["page.budgets", "getBudgets", "usage"],
  limit: ["page.limits", "getSettings", "settings/limits"],
  log: ["page.log", "getLogs", "system"],
} as const;

/** Where more of it can be set right. */
function Page({ remedy }: { readonly remedy: Remedy }): VNode | null {
  if (!(remedy in PAGES)) return null;
  const [label, needs, panel] = PAGES[remedy as keyof typeof PAGES];
  return (
    <Button size="small" kind="quiet" needs={needs} onClick={() => openPanel(panel)}>
      {t(label)}
    </Button>
  );
}

function useOthers(chat: Chat, remedy: Remedy): Others {
  const [others, setOthers] = useState<Others>({});
  const model = chat.detail.value?.model;
  const wanted =
    model !== undefined && remedy !== "limit" && remedy !== "context" && may("listModels") && may("changeSession");
  useEffect(() => {
    if (!wanted) return;
    othersFor(model).then(setOthers, () => undefined); // the other buttons stay
  }, [wanted, model?.provider, model?.model]);
  return others;
}

function shortName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}
