/** What the doctor found: what fails comes first, with the command that repairs it. */
import { useState } from "preact/hooks";
import type { Check } from "../schema.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check as CheckBox } from "../../../web/ui/field.tsx";
import { Copy } from "../../../web/panel-kit/copy.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

const ORDER = { fail: 0, warn: 1, ok: 2 } as const;
const TONES = { fail: "danger", warn: "warn", ok: "ok" } as const;

export function Doctor() {
  const [live, setLive] = useState(false);
  const checks = useResource<readonly Check[]>(live ? "/system/doctor?live=true" : "/system/doctor");
  return (
    <div class="stack">
      <div class="p-row">
        <Button icon="refresh" busy={checks.loading} onClick={() => void checks.reload()}>
          {t("again")}
        </Button>
        <CheckBox label={t("live")} checked={live} onChecked={setLive} />
      </div>
      <Loaded of={checks}>
        {(items) => (
          <>
            <Summary items={items} />
            <ul class="p-cards">
              {items
                .toSorted((a, b) => ORDER[a.state] - ORDER[b.state])
                .map((check) => (
                  <li key={check.id} class="p-card" data-check={check.id} data-state={check.state}>
                    <div class="p-row">
                      <strong class="grow">{check.title}</strong>
                      <span class={`badge ${TONES[check.state]}`}>{t(`check_${check.state}`)}</span>
                    </div>
                    <p class="p-prose">{check.detail}</p>
                    {check.command !== undefined && <Copy text={check.command} />}
                  </li>
                ))}
            </ul>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Summary({ items }: { readonly items: readonly Check[] }) {
  const count = (state: Check["state"]): number => items.filter((check) => check.state === state).length;
  const parts = [
    count("fail") > 0 && t("fails", { n: count("fail") }),
    count("warn") > 0 && t("warns", { n: count("warn") }),
    t("okCount", { n: count("ok") }),
  ].filter((part) => part !== false);
  return (
    <p role="status">
      <strong>{count("fail") + count("warn") === 0 ? t("allWell") : parts.join(" · ")}</strong>
    </p>
  );
}
