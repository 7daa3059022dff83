/** The states every page has: loading after a moment, empty with one action. */
import type { ComponentChildren, VNode } from "preact";
import { t } from "../texts/index.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Appears after 150 ms, so that quick answers don't flash. */
export function Skeleton({ lines = 4 }: { lines?: number }): VNode {
  return (
    <div class="stack" role="status" aria-label={t("common.loading")}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton" style={{ width: `${String(90 - ((index * 17) % 45))}%` }} />
      ))}
    </div>
  );
}

export function Empty({ icon, children }: { icon: IconName; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <Icon name={icon} size={32} />
      {children}
    </div>
  );
}
