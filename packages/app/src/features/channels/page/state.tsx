/** How a channel is, what is wrong with it, and where its platform calls: on its card and where it is set up. */
import { t } from "./texts.ts";
import type { ChannelView } from "./types.ts";

const TONES = {
  off: "",
  starting: "accent",
  up: "ok",
  degraded: "warn",
  retrying: "warn",
  failed: "danger",
  paused: "",
} as const;

interface Props {
  readonly channel: ChannelView;
}

export function State({ channel: { state } }: Props) {
  return (
    <span class={`badge ${TONES[state]}`} data-state={state}>
      {t(`state_${state}`)}
    </span>
  );
}

export function Health({ channel }: Props) {
  return (
    <>
      {channel.error !== undefined && <p class="p-error">{channel.error}</p>}
      {channel.calledAt?.map((address) => (
        <p key={address} class="p-faint">
          {t("calledAt", { address })}
        </p>
      ))}
      {channel.warnings.map((warning) => (
        <p key={warning} class="p-warn">
          {warning}
        </p>
      ))}
    </>
  );
}

/** It works, and knows nobody yet. */
export function isNew({ state, known }: ChannelView): boolean {
  return known === 0 && (state === "up" || state === "degraded");
}
