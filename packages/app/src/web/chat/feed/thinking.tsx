/** Reasoning: its last lines while it is written, then folded, open or hidden as the person likes. Plain text, no links. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../../texts/chat.ts";
import { duration } from "../../texts/format.ts";
import { useNow } from "../../lib/now.ts";
import { Icon } from "../../ui/icon.tsx";
import { reasoning } from "../../lib/preferences.ts";
import { VisibleText } from "../../markdown/visible-text.tsx";

const LIVE_LINES = 3;

/** @param since when it began, while it is being written. */
export function Thinking({ text, since }: { text: string; since: number | undefined }): VNode | null {
  const [turned, setTurned] = useState<boolean>();
  const open = turned ?? reasoning.value === "open";
  const live = since !== undefined;
  const now = useNow(live);
  const began = useRef(since);
  const lasted = useRef<number>(undefined);
  began.current ??= since;
  if (live) lasted.current = Math.max(0, now - since);
  const title = live
    ? t("thinking.live")
    : lasted.current !== undefined && lasted.current >= 1000
      ? t("thinking.time", { time: duration(lasted.current) })
      : t("thinking.done");
  if (reasoning.value === "hidden") return null;
  return (
    <div class={live ? "thinking live" : "thinking"}>
      <button type="button" class="thinking-head" aria-expanded={open} onClick={() => setTurned(!open)}>
        <Icon name="brain" size={16} />
        <span>{title}</span>
        {live && <span class="muted">{duration(lasted.current ?? 0)}</span>}
        <Icon name={open ? "chevronDown" : "chevronRight"} size={14} />
      </button>
      {(open || live) && (
        <div class={open ? "thinking-body" : "thinking-body tail"}>
          <VisibleText text={open ? text : text.split("\n").slice(-LIVE_LINES).join("\n")} />
        </div>
      )}
    </div>
  );
}
