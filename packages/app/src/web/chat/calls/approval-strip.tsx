/** Above the composer: the oldest call of this chat that waits for a yes, and how many follow. */
import type { VNode } from "preact";
import type { Chat } from "../../store/chat-state.ts";
import { Lazy } from "../../shell/lazy.tsx";

export function ApprovalStrip({ chat }: { chat: Chat }): VNode | null {
  const [oldest, ...others] = chat.approvals.value;
  if (oldest === undefined) return null;
  return (
    <div class="strip">
      <Lazy
        key={oldest.call}
        load={async () => (await import("./approval-card.tsx")).ApprovalCard}
        props={{ approval: oldest, ...(others.length > 0 && { title: `+${String(others.length)}` }) }}
      />
    </div>
  );
}
