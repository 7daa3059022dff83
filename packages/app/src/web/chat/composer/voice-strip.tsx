/** Above the message: how long it records, and how to end it; then what came of it. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "./voice-texts.ts";
import { useNow } from "../../lib/now.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Voice } from "./voice.ts";

interface VoiceStripProps {
  readonly voice: Voice;
  readonly onDiscard: () => void;
}

export function VoiceStrip({ voice, onDiscard }: VoiceStripProps): VNode | null {
  const { state } = voice;
  const strip = useRef<HTMLDivElement>(null);
  // What is pressed next has the focus; while there is only "Discard", a key pressed twice must not mean it. With the
  // drawing, not after the frame: by then the text may be there, and the focus in the message.
  useLayoutEffect(() => {
    const isNext = state.status === "recording" || state.status === "failed";
    (isNext ? strip.current?.querySelector("button") : strip.current)?.focus();
  }, [state.status]);
  if (state.status === "idle") return null;
  const discard = (): void => {
    voice.discard();
    onDiscard();
  };
  return (
    <div
      ref={strip}
      class={`voice ${state.status}`}
      role="group"
      tabIndex={-1}
      aria-label={t("label")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation(); // closes nothing else
        discard();
      }}
    >
      {state.status !== "failed" && <span class="pulse" aria-hidden="true" />}
      {state.status === "failed" ? (
        <>
          <Icon name="alert" />
          <span class="grow danger-ink" role="alert">
            {state.text}
          </span>
        </>
      ) : (
        <span class="grow">{t(state.status)}</span>
      )}
      {state.status === "recording" && <Elapsed since={state.since} />}
      {state.status === "recording" && (
        <Button size="small" icon="stop" title={t("stopWhy")} onClick={voice.stop}>
          {t("stop")}
        </Button>
      )}
      {state.status === "failed" && state.recording !== undefined && (
        <Button size="small" icon="refresh" onClick={voice.again}>
          {t("again")}
        </Button>
      )}
      <Button size="small" kind="quiet" onClick={discard}>
        {t(state.status === "failed" && state.recording === undefined ? "close" : "discard")}
      </Button>
    </div>
  );
}

/** Not read aloud second by second. */
function Elapsed({ since }: { readonly since: number }): VNode {
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000));
  return (
    <span class="voice-time" aria-hidden="true">
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, "0")}
    </span>
  );
}
