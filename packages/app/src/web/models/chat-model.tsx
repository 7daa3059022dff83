/** Choosing the model of one chat, or of all new ones, and how long models think. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { t } from "../texts/work.ts";
import { Button } from "../ui/button.tsx";
import { tell } from "../ui/tell.ts";
import { ModelPicker } from "./picker.tsx";
import { Segments } from "./segments.tsx";
import { t as own } from "./texts.ts";
import { ThinkingLevel } from "./thinking.tsx";

interface ChatModelProps {
  readonly value: string;
  /** That are in this chat. */
  readonly pictures: number;
  /** It was chosen for this chat. */
  readonly isOwn: boolean;
  /** Null: as configured for all chats. */
  readonly onChoose: (name: string | null) => void;
  readonly onClose: () => void;
  /** To the page with keys and fallbacks. */
  readonly onAll: () => void;
}

export function ChatModel({ value, pictures, isOwn, onChoose, onClose, onAll }: ChatModelProps): VNode {
  const [reach, setReach] = useState<"chat" | "all">("chat");
  const choose = async (name: string): Promise<void> => {
    if (reach === "all" && !(await tell(api.put("/models/active", { model: name })))) return;
    onChoose(name); // this one too: it was begun with another
  };
  return (
    <ModelPicker title={t("model.for-chat")} value={value} pictures={pictures} onChoose={choose} onClose={onClose}>
      <ThinkingLevel />
      <Segments
        label={own("reach")}
        value={reach}
        onValue={(next) => setReach(next === "all" ? "all" : "chat")}
        options={[
          { value: "chat", label: own("reachChat") },
          { value: "all", label: own("reachAll") },
        ]}
      />
      <div class="row">
        {isOwn && <Button onClick={() => onChoose(null)}>{t("model.as-configured")}</Button>}
        <Button kind="quiet" icon="cpu" onClick={onAll}>
          {t("model.all")}
        </Button>
      </div>
    </ModelPicker>
  );
}
