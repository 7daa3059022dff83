/** The state of the connection, in words, from one second after it broke. */
import type { VNode } from "preact";
import { line } from "../connection.ts";
import { t } from "../texts/work.ts";
import { useNow } from "../lib/now.ts";
import { link } from "../store/link.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

const SHOWN_AFTER_MS = 1_000;

export function LineBar(): VNode {
  const state = line.value;
  useNow(state.state === "lost");
  return (
    <div role="status">
      {state.state === "lost" && Date.now() - state.since >= SHOWN_AFTER_MS && (
        <div class={state.offline ? "line-bar offline" : "line-bar"}>
          {state.offline ? (
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
