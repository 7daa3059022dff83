/** Where messages are written: grows, keeps its draft, never sends while an input method composes. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { line } from "../../connection.ts";
import { t as voiceText } from "./voice-texts.ts";
import { t } from "../../texts/work.ts";
import { keyLabel } from "../../lib/keys.ts";
import { sendKey } from "../../lib/preferences.ts";
import { recordingFault } from "../../lib/recorder.ts";
import type { Chat } from "../../store/chat.ts";
import type { SendMode } from "../../store/outgoing.ts";
import { draftOf, keepDraft } from "../../store/drafts.ts";
import { isPractice, takesVoice } from "../../store/system.ts";
import { Button } from "../../ui/button.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import type { OutgoingPart } from "../../wire.ts";
import { Attachments, useAttachments } from "./attachments.tsx";
import { CommandMenu, useCommandMenu } from "./command-menu.tsx";
import { inserted, offered } from "./composer-text.ts";
import { DeliverSwitch } from "./deliver-switch.tsx";
import { VoiceStrip } from "./voice-strip.tsx";
import { useVoice } from "./voice.ts";

const MAX_LINES = 12;
const LONG_PASTE = 4_000;

export function Composer({ chat }: { chat: Chat }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const id = chat.id.value;
  const [text, setText] = useState(() => draftOf(id));
  const attachments = useAttachments((dropped) => takeText(dropped));
  const running = chat.turn.value !== undefined;
  const now = line.value;
  const isLost = now.state === "lost";
  // What is sent while it connects again waits and is sent then; a chat that is to be made by it has to be made first.
  const online = !isLost || (!now.offline && id !== undefined);
  const composing = useRef(false);

  const change = (next: string): void => {
    setText(next);
    keepDraft(chat.id.peek(), next);
  };
  /** A long one is a file that can be made text again. @returns whether it was long. */
  const takeLong = (given: string): boolean => {
    if (given.length <= LONG_PASTE) return false;
    attachments.add([new File([given], `${t("composer.paste.name")}.txt`, { type: "text/plain" })], given);
    return true;
  };
  const takeText = (dropped: string): void => {
    if (!takeLong(dropped)) change(text === "" ? dropped : `${text} ${dropped}`);
    field.current?.focus();
  };
  const commands = useCommandMenu(text, field, change);
  const cursor = useRef<number>(undefined);
  const voice = useVoice((said) => {
    const selected = [
      field.current?.selectionStart ?? text.length,
      field.current?.selectionEnd ?? text.length,
    ] as const;
    const next = inserted(text, selected, said);
    cursor.current = next.cursor;
    change(next.text);
    field.current?.focus();
  });
  useLayoutEffect(() => {
    grow(field.current);
    if (cursor.current !== undefined) field.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [chat]);
  const given = offered.value;
  useEffect(() => {
    if (given === undefined) return;
    offered.value = undefined;
    change(text.trim() === "" ? given : `${text}\n\n${given}`);
    field.current?.focus();
  }, [given]);

  const ready = attachments.items.every(({ state }) => state === "ready");
  const canSend = online && ready && (text.trim() !== "" || attachments.items.length > 0);
  const send = (mode?: SendMode): void => {
    if (!canSend) return;
    const parts: OutgoingPart[] = attachments.items.flatMap(({ part }) => (part ? [part] : []));
    if (text.trim() !== "") parts.push({ type: "text", text: text.trim() });
    chat.send(parts, mode === undefined ? {} : { mode });
    keepDraft(undefined, "");
    change("");
    attachments.clear();
    field.current?.focus();
  };

  return (
    <div class={attachments.dragging ? "composer dragging" : "composer"}>
      {attachments.dragging && <div class="drop-note">{t("composer.drop")}</div>}
      <CommandMenu menu={commands} />
      <Attachments
        attachments={attachments}
        onInsert={(pasted) => {
          change(text + pasted);
          field.current?.focus();
        }}
      />
      <VoiceStrip voice={voice} onDiscard={() => field.current?.focus()} />
      <textarea
        ref={field}
        id="composer"
        rows={1}
        dir="auto"
        aria-label={t("composer.label")}
        placeholder={t(isPractice.value === true ? "composer.practice" : "composer.placeholder")}
        {...commands.fieldProps}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={() => {
          composing.current = false;
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          if (files.length > 0) attachments.add(files);
          else if (!takeLong(pasted)) return;
          event.preventDefault();
        }}
        onKeyDown={(event) => {
          // Safari ends the composition before the key that accepted it: 229 still tells.
          if (event.isComposing || composing.current || event.keyCode === 229) return;
          if (commands.onKey(event)) return;
          if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
            const mod = event.ctrlKey || event.metaKey;
            if (sendKey.value === "mod-enter" && !mod) return; // breaks the line
            event.preventDefault();
            send(mod && running && sendKey.value === "enter" ? "queue" : undefined);
          } else if (event.key === "ArrowUp" && text === "") recall(chat, change);
        }}
      />
      <div class="composer-foot">
        <Button kind="quiet" icon="clip" label={t("composer.attach")} onClick={attachments.choose} />
        {takesVoice.value && voice.state.status === "idle" && recordingFault() === undefined && (
          <Button kind="quiet" icon="mic" label={voiceText("start")} onClick={voice.start} />
        )}
        {chat.detail.value?.source === "channel" ? (
          <DeliverSwitch chat={chat} channel={chat.detail.value.channel} />
        ) : (
          <span class="grow small muted truncate composer-hint">
            {online ? (running ? "" : hint()) : t("composer.offline")}
          </span>
        )}
        {running && (
          <Button
            icon="stop"
            label={`${t("composer.stop")} (${keyLabel("Mod+.")})`}
            class="stop-button"
            busy={chat.stopping.value}
            disabled={isLost}
            onClick={() => void tell(chat.stop())}
          />
        )}
        {running && text.trim() !== "" && (
          <MenuButton
            kind="quiet"
            icon="chevronDown"
            label={t("composer.send.mode")}
            disabled={!canSend}
            entries={() => [
              { label: t("composer.send.steer"), onSelect: () => send("steer") },
              {
                label: t("composer.send.queue"),
                ...(sendKey.value === "enter" && { note: keyLabel("Mod+Enter") }),
                onSelect: () => send("queue"),
              },
              { label: t("composer.send.interrupt"), onSelect: () => send("interrupt") },
            ]}
          />
        )}
        <Button
          kind="primary"
          icon="arrowUp"
          class="send-button"
          label={online ? t("composer.send") : t("composer.offline")}
          disabled={!canSend}
          onClick={() => send()}
        />
      </div>
    </div>
  );
}

function hint(): string {
  return sendKey.value === "enter" ? t("composer.hint") : t("composer.hint.mod", { keys: keyLabel("Mod+Enter") });
}

/** ↑ in an empty field: the last message again. */
function recall(chat: Chat, change: (text: string) => void): void {
  const last = chat.items.peek().findLast((item) => item.kind === "user" && item.from.kind === "person");
  if (last?.kind !== "user") return;
  change(last.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = "auto";
  const lineHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.style.height = `${String(Math.min(field.scrollHeight, lineHeight * MAX_LINES + 24))}px`;
}
