/** While a provider is busy: not to wait for it any longer, or to ask another model. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { may } from "../../auth.ts";
import type { Chat } from "../../store/chat-state.ts";
import { t as chatText } from "../../texts/chat.ts";
import { Button } from "../../ui/button.tsx";
import { tell } from "../../ui/tell.ts";
import { othersFor, switchTo } from "./others.ts";
import { t } from "./texts.ts";

export function Waiting({ chat }: { readonly chat: Chat }): VNode {
  const [other, setOther] = useState<string>();
  const detail = chat.detail.value;
  const canChoose = may("listModels") && may("changeSession");
  useEffect(() => {
    if (!canChoose || detail === undefined) return;
    othersFor(detail.model).then(
      ({ fallback }) => setOther(fallback),
      () => undefined,
    ); // the stop is there anyway
  }, [detail?.model.model]);
  const use = async (model: string): Promise<void> => {
    if (detail === undefined) return;
    await chat.stop();
    await switchTo(chat, detail, model);
    chat.send([{ type: "text", text: chatText("turn.again") }]);
  };
  return (
    <>
      <Button size="small" onClick={() => void tell(chat.stop())}>
        {t("wait.stop")}
      </Button>
      {other !== undefined && (
        <Button size="small" onClick={() => void tell(use(other))}>
          {t("model.use", { model: other.slice(other.indexOf("/") + 1) })}
        </Button>
      )}
    </>
  );
}
