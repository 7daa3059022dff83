/** "Tell me on this device": the switch, why it cannot be on, and the other devices that are told. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Act, Outcome, useAct } from "../panel-kit/act.tsx";
import { api } from "../panel-kit/api.ts";
import { dateTime } from "../panel-kit/format.ts";
import { Loaded } from "../panel-kit/loaded.tsx";
import { useResource } from "../panel-kit/resource.ts";
import { Check } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";
import { ability, turnOff, turnOn, type Devices } from "./device.ts";
import { isPushOn } from "./flag.ts";
import { t } from "./texts.ts";

export function PushSwitch(): VNode {
  const devices = useResource<Devices>("/push", "system");
  const [state, setState] = useState(ability);
  const acting = useAct();
  return (
    <section class="stack push-switch" aria-label={t("label")}>
      <Loaded of={devices}>
        {({ items }) => {
          const mine = items.find(({ current }) => current);
          const on = mine !== undefined && isPushOn() && state === "ready";
          const change = (wanted: boolean) => async (): Promise<void> => {
            if (wanted) setState(await turnOn());
            else await turnOff();
            await devices.reload();
          };
          return (
            <>
              <Check
                label={t("label")}
                hint={t("hint")}
                checked={on}
                disabled={acting.busy || (!on && state !== "ready")}
                onChecked={(wanted) => void acting.run(change(wanted))}
              />
              {!on && state !== "ready" && (
                <p class={state === "denied" ? "danger-ink small" : "small"} role="status">
                  {t(state)}
                </p>
              )}
              <Outcome of={acting} />
              {on && (
                <div class="p-row">
                  <Act acting={acting} work={tryIt(mine.id)} size="small">
                    {t("try")}
                  </Act>
                  {mine.unsent && <span class="small muted">{t("unsent", { service: mine.service })}</span>}
                </div>
              )}
              <Others items={items.filter(({ id }) => !on || id !== mine.id)} reload={devices.reload} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function tryIt(id: string) {
  return async (): Promise<void> => {
    await api.post(`/push/${id}/try`);
    toast(t("tried"));
  };
}

type Device = Devices["items"][number];

function Others({ items, reload }: { readonly items: readonly Device[]; readonly reload: () => Promise<void> }) {
  if (items.length === 0) return null;
  return (
    <>
      <h4>{t("others")}</h4>
      <ul class="p-cards">
        {items.map((device) => (
          <Other key={device.id} device={device} reload={reload} />
        ))}
      </ul>
    </>
  );
}

function Other({ device, reload }: { readonly device: Device; readonly reload: () => Promise<void> }) {
  const acting = useAct();
  const { id, userAgent, service, createdAt, unsent } = device;
  const stop = async (): Promise<void> => {
    await api.delete(`/push/${id}`);
    await reload();
  };
  return (
    <li class="p-card">
      <div class="p-row">
        <span class="grow">{nameOf(userAgent)}</span>
        <Act acting={acting} work={stop} size="small">
          {t("stop")}
        </Act>
      </div>
      <p class="p-facts-line">
        <span>{t("since", { when: dateTime(createdAt) })}</span>
        {unsent && <span>{t("unsent", { service })}</span>}
      </p>
      <Outcome of={acting} />
    </li>
  );
}

/** "Firefox, Android": what a person calls it. The first that fits: all of them name those before them too. */
function nameOf(userAgent: string): string {
  const first = (names: readonly (readonly [RegExp, string])[]): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = first([
    [/Firefox|FxiOS/, "Firefox"],
    [/Edg/, "Edge"],
    [/SamsungBrowser/, "Samsung Internet"],
    [/Chrome|CriOS|Chromium/, "Chrome"],
    [/Safari/, "Safari"],
  ]);
  const system = first([
    [/Android/, "Android"],
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Windows/, "Windows"],
    [/Mac OS/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  return [browser, system].filter((part) => part !== undefined).join(", ") || t("unknown");
}
