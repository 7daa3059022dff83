/** One channel: its state in words, who may write, what waits. */
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { dateTime, relative, timeOfDay } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { useNow } from "../../../web/panel-kit/time.ts";
import { Health, State } from "./state.tsx";
import type { ChannelView } from "./types.ts";

export function ChannelCard({
  channel,
  reload,
}: {
  readonly channel: ChannelView;
  readonly reload: () => Promise<void>;
}) {
  const acting = useAct();
  const path = `/channels/${encodeURIComponent(channel.id)}`;
  const post = (verb: string) => async (): Promise<void> => {
    await api.post(`${path}/${verb}`);
    await reload();
  };
  const remove = (): void =>
    void acting.run(async () => {
      await api.delete(path, { ifMatch: `"${channel.hash}"` });
      toast(t("removed", { name: channel.id }));
      await reload();
    });
  return (
    <li class="p-card" data-channel={channel.id}>
      <div class="p-row">
        <PanelLink to={`channels/${channel.id}`} class="p-title grow">
          {channel.id}
        </PanelLink>
        <State channel={channel} />
        {channel.restart && (
          <span class="badge warn" title={t("restartWhy")}>
            {c("restartNeeded")}
          </span>
        )}
      </div>
      <Facts channel={channel} />
      {channel.once !== undefined && <p class="p-faint">{onceText(channel.once, channel)}</p>}
      {channel.history !== undefined && <p class="p-faint">{t(`history_${channel.history}`)}</p>}
      <Health channel={channel} />
      <Outcome of={acting} />
      <div class="p-row">
        {channel.state === "paused" ? (
          <Act acting={acting} work={post("resume")} icon="play" size="small">
            {t("resume")}
          </Act>
        ) : (
          channel.enabled && (
            <Act acting={acting} work={post("pause")} icon="pause" size="small">
              {t("pause")}
            </Act>
          )
        )}
        <ConfirmButton
          size="small"
          kind="quiet"
          icon="trash"
          verb={c("remove")}
          text={t("removeAsk", { name: channel.id })}
          go={remove}
        />
      </div>
    </li>
  );
}

/** What becomes of a reply that was cut off. */
function onceText(once: NonNullable<ChannelView["once"]>, { onceMs, config }: ChannelView): string {
  const isAsked = config.uncertain === "ask";
  if (onceMs !== undefined) return t(isAsked ? "once_whileAsk" : "once_while", { n: Math.floor(onceMs / 60_000) });
  return t(once === "no" && isAsked ? "once_ask" : `once_${once}`);
}

function Facts({ channel }: { readonly channel: ChannelView }) {
  const now = useNow();
  return (
    <p class="p-facts-line">
      {channel.kind !== channel.id && <span>{channel.kind}</span>}
      {channel.account !== undefined && <span>{channel.account}</span>}
      {channel.since !== undefined && <span>{t("since", { when: dateTime(channel.since) })}</span>}
      {channel.lastFrame !== undefined && <span>{t("lastFrame", { when: relative(channel.lastFrame, now) })}</span>}
      {channel.lastIn !== undefined && <span>{t("lastIn", { when: relative(channel.lastIn, now) })}</span>}
      {channel.lastOut !== undefined && <span>{t("lastOut", { when: relative(channel.lastOut, now) })}</span>}
      {channel.cursorAt !== undefined && <span>{t("cursorAt", { when: relative(channel.cursorAt, now) })}</span>}
      {(channel.reconnects ?? 0) > 0 && <span>{t("reconnects", { n: channel.reconnects ?? 0 })}</span>}
      {channel.limitedUntil !== undefined && (
        <span class="p-warn">{t("limited", { when: timeOfDay(channel.limitedUntil) })}</span>
      )}
      <span>{t("waiting", { n: channel.outbox.pending })}</span>
      {channel.outbox.held > 0 && <span>{t("held", { n: channel.outbox.held })}</span>}
      {channel.outbox.uncertain > 0 && <span class="p-warn">{t("uncertain", { n: channel.outbox.uncertain })}</span>}
      {channel.outbox.failed > 0 && <span class="p-error">{t("failed", { n: channel.outbox.failed })}</span>}
      {(channel.reactions ?? 0) > 0 && <span>{t("reactions", { n: channel.reactions ?? 0 })}</span>}
      {(channel.deadLetters ?? 0) > 0 && (
        <span class="p-error">{t("deadLetters", { n: channel.deadLetters ?? 0 })}</span>
      )}
      <span>{channel.known === 0 ? t("nobody") : t("admitted", { n: channel.known })}</span>
    </p>
  );
}
