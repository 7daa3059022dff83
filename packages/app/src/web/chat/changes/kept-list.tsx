/** What a call left behind that runs by itself: named at the call, shown when it is wanted. Loaded where there is such a thing. */
import { type Item } from "@margay/core/state";
import { callsOf, keptAsideOf, type CallView } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "./quarantine-texts.ts";
import { visible } from "../../markdown/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { Lazy } from "../../shell/lazy.tsx";

export function KeptList({ call }: { call: CallView }): VNode | null {
  const { named, count } = keptAsideOf(call.details);
  const [shown, setShown] = useState<string>();
  if (named.length === 0) return null;
  return (
    <div class="call-note kept-aside">
      <p class="warn-ink small">{t("kept")}</p>
      <ul class="plain-list">
        {named.map(({ id, path, why }) => (
          <li key={id} class="row">
            <span class="grow">
              <code>
                <bdi>{visible(path)}</bdi>
              </code>{" "}
              {!path.endsWith(why) && <span class="muted small">{visible(why)}</span>}
            </span>
            <Button size="small" needs="listQuarantine" aria-label={t("showOf", { path })} onClick={() => setShown(id)}>
              {t("show")}
            </Button>
          </li>
        ))}
      </ul>
      {count > named.length && <p class="muted small">{t("more", { n: count - named.length })}</p>}
      {shown !== undefined && (
        <Lazy
          over
          load={async () => (await import("./quarantine-dialog.tsx")).QuarantineDialog}
          props={{ id: shown, onClose: () => setShown(undefined) }}
        />
      )}
    </div>
  );
}

/** Said once, at the end of the turn. */
export function KeptNote({ items, turn }: { items: readonly Item[]; turn: string | undefined }): VNode | null {
  let n = 0;
  for (const item of items)
    if (item.kind === "assistant" && item.turn === turn)
      for (const { details } of callsOf(item)) n += keptAsideOf(details).count;
  return n === 0 ? null : <p class="finish-note">{t("turn", { n })}</p>;
}
