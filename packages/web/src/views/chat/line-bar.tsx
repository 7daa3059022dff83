/** The state of the connection, in words, from one second after it broke. */
import type { VNode } from "preact";
import { line } from "../../connection.ts";
import { t } from "../../i18n/work.ts";
import { useNow } from "../../lib/now.ts";
import { link } from "../../store/link.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

const SHOWN_AFTER_MS = 1_000;
const OFFLINE_AFTER_MS = 15_000;

export function LineBar(): VNode {
  const state = line.value;
  useNow(state.state === "lost");
  const lost = state.state === "lost" ? Date.now() - state.since : 0;
  return (
    <div role="status">
      {state.state === "lost" && lost >= SHOWN_AFTER_MS && (
        <div class={lost >= OFFLINE_AFTER_MS ? "line-bar offline" : "line-bar"}>
          {lost >= OFFLINE_AFTER_MS || !navigator.onLine ? (
            <span class="grow">
              {t("line.offline")} <code>margay gateway</code> <CopyButton text={() => "margay gateway"} />
            </span>
          ) : (
            <span class="grow">{t(state.restarting ? "line.restarting" : "line.reconnecting")}</span>
          )}
          <Button size="small" onClick={() => link().retry()}>
            {t("line.try")}
          </Button>
        </div>
      )}
    </div>
  );
}
