/** What becomes of a temporary chat, and what does not. */
import type { VNode } from "preact";
import { api } from "../api.ts";
import { may } from "../auth.ts";
import { route } from "../lib/route.ts";
import type { Chat } from "../store/chat-state.ts";
import { keepDraft } from "../store/drafts.ts";
import { dropSummary, markDeleted, summaries } from "../store/sessions.ts";
import { t } from "../texts/chat.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { tell } from "../ui/tell.ts";
import { toast } from "../ui/toast.tsx";
import { startNewChat } from "../shell/new-chat.ts";

export function isTemporary({ id, begins, detail }: Chat): boolean {
  if (id.value === undefined) return begins === "temporary";
  return (summaries.value.get(id.value) ?? detail.value)?.source === "temporary";
}

export function TemporaryLine({ chat }: { readonly chat: Chat }): VNode | null {
  if (!isTemporary(chat)) return null;
  const id = chat.id.value;
  return (
    <div class="banner temporary" role="note">
      <Icon name="clock" size={16} />
      <span class="grow">{t("temporary.line")}</span>
      {id !== undefined && may("deleteSession") && (
        <Button size="small" icon="trash" onClick={() => void endChat(id)}>
          {t("temporary.end")}
        </Button>
      )}
    </div>
  );
}

/** It is in no trash: nothing takes that back. */
export async function endChat(id: string): Promise<void> {
  markDeleted(id, true);
  if (!(await tell(api.delete(`/sessions/${id}`)))) return markDeleted(id, false);
  dropSummary(id);
  keepDraft(id, "");
  if (route.peek().session === id) startNewChat();
  toast(t("temporary.ended"));
}
