/** Choosing the model of one chat, and how long models think. */
import type { VNode } from "preact";
import { t } from "../texts/work.ts";
import { Button } from "../ui/button.tsx";
import { ModelPicker } from "./picker.tsx";
import { ThinkingLevel } from "./thinking.tsx";

interface ChatModelProps {
  readonly value: string;
  /** It was chosen for this chat. */
  readonly isOwn: boolean;
  /** Null: as configured for all chats. */
  readonly onChoose: (name: string | null) => void;
  readonly onClose: () => void;
  /** To the page with keys and fallbacks. */
  readonly onAll: () => void;
}

export function ChatModel({ value, isOwn, onChoose, onClose, onAll }: ChatModelProps): VNode {
  return (
    <ModelPicker title={t("model.for-chat")} value={value} onChoose={onChoose} onClose={onClose}>
      <ThinkingLevel />
      <div class="row">
        {isOwn && <Button onClick={() => onChoose(null)}>{t("model.as-configured")}</Button>}
        <Button kind="quiet" icon="cpu" onClick={onAll}>
          {t("model.all")}
        </Button>
      </div>
    </ModelPicker>
  );
}
