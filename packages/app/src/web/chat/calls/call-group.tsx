/** Finished calls in a row, folded into one line. */
import { callsOf, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { duration } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Place } from "../feed/answer-item.tsx";
import { KeptAside } from "../changes/kept-aside.tsx";
import { ToolCard } from "./tool-card.tsx";

interface GroupProps {
  readonly items: readonly ItemOf<"assistant">[];
  readonly chat: Chat;
  readonly place: Place;
}

export function CallGroup({ items, chat, place }: GroupProps): VNode {
  const [open, setOpen] = useState(false);
  const calls = items.flatMap(callsOf);
  const ms = calls.reduce((sum, call) => sum + (call.ms ?? 0), 0);
  return (
    <article
      class="item assistant first"

      tabIndex={-1}
      aria-label={t("call.group", { n: calls.length })}
      {...place}
    >
      <div class="column item-body">
        <button type="button" class="call-group" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="check" size={16} />
          <span>{t("call.group", { n: calls.length })}</span>
          <span class="muted">{duration(ms)}</span>
          <span class="muted truncate grow">{[...new Set(calls.map(({ name }) => name))].join(", ")}</span>
          <Icon name={open ? "chevronDown" : "chevronRight"} size={14} />
        </button>
        {calls.map((call) =>
          open ? <ToolCard key={call.call} call={call} chat={chat} /> : <KeptAside key={call.call} call={call} />,
        )}
      </div>
    </article>
  );
}
