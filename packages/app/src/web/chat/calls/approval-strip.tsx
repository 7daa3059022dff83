/** Above the composer: the oldest call of this chat that waits for a yes, and how many follow. */
import type { VNode } from "preact";
import type { Chat } from "../../store/chat-state.ts";
import { ApprovalCard } from "./approval-card.tsx";

export function ApprovalStrip({ chat }: { chat: Chat }): VNode | null {
  const [oldest, ...others] = chat.approvals.value;
  if (oldest === undefined) return null;
  return (
    <div class="strip">
      <ApprovalCard
        key={oldest.call}
        approval={oldest}
        {...(others.length > 0 && { title: `+${String(others.length)}` })}
      />
    </div>
  );
}
