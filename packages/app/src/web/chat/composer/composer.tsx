/** Where messages are written: grows, keeps its draft, never sends while an input method composes. */
import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { line } from "../../connection.ts";
import { t as voiceText } from "./voice-texts.ts";
import { t } from "../../texts/work.ts";
import { keyLabel } from "../../lib/keys.ts";
import { sendKey } from "../../lib/preferences.ts";
import { recordingFault } from "../../lib/recorder.ts";
import type { Chat } from "../../store/chat-state.ts";
import type { SendMode } from "../../store/outgoing.ts";
import { draftOf, keepDraft } from "../../store/drafts.ts";
import { isPractice, takesVoice } from "../../store/system.ts";
import { Button } from "../../ui/button.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import type { OutgoingPart } from "../../wire.ts";
import { Attachments, useAttachments } from "./attachments.tsx";
import { CommandMenu, useCommandMenu } from "./command-menu.tsx";
import { editing, isEditable } from "../own/editing.ts";
import { inserted, offered } from "./composer-text.ts";
import { DeliverSwitch } from "./deliver-switch.tsx";
import { VoiceStrip } from "./voice-strip.tsx";
import { useVoice } from "./voice.ts";

const MAX_LINES = 12;
const LONG_PASTE = 4_000;

export function Composer({ chat }: { chat: Chat }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = (): void => field.current?.focus();
  const { text, change, insert } = useTyped(chat, field);
  const attachments = useAttachments((dropped) => takeText(dropped));
  const running = chat.turn.value !== undefined;
  const now = line.value;
  // What is sent while it connects again waits and is sent then; a chat that is to be made by it has to be made first.
  const online = now.state !== "lost" || (!now.offline && chat.id.value !== undefined);
  /** A long one is a file that can be made text again. @returns whether it was long. */
  const takeLong = (given: string): boolean => {
    if (given.length <= LONG_PASTE) return false;
    attachments.add([new File([given], `${t("composer.paste.name")}.txt`, { type: "text/plain" })], given);
    return true;
  };
  const takeText = (dropped: string): void => {
    if (!takeLong(dropped)) change(text === "" ? dropped : `${text} ${dropped}`);
    focus();
  };
  const commands = useCommandMenu(text, field, change);
  const voice = useVoice(insert);

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
    focus();
  };

  return (
    <div class={attachments.dragging ? "composer dragging" : "composer"}>
      {attachments.dragging && <div class="drop-note">{t("composer.drop")}</div>}
      <CommandMenu menu={commands} />
      <Attachments
        attachments={attachments}
        onInsert={(pasted) => {
          change(text + pasted);
          focus();
        }}
      />
      <VoiceStrip voice={voice} onDiscard={focus} />
      <MessageField
        field={field}
        text={text}
        change={change}
        commands={commands}
        onSend={(mod) => send(mod && running && sendKey.value === "enter" ? "queue" : undefined)}
        onRecall={() => recall(chat, change)}
        onPaste={(files, pasted) => {
          if (files.length === 0) return takeLong(pasted);
          attachments.add(files);
          return true;
        }}
      />
      <div class="composer-foot">
        <Button kind="quiet" icon="clip" needs="upload" label={t("composer.attach")} onClick={attachments.choose} />
        {takesVoice.value && voice.state.status === "idle" && recordingFault() === undefined && (
          <Button kind="quiet" icon="mic" label={voiceText("start")} onClick={voice.start} />
        )}
        <ComposerFoot chat={chat} text={text} online={online} canSend={canSend} send={send} />
      </div>
    </div>
  );
}

interface Typed {
  readonly text: string;
  readonly change: (next: string) => void;
  /** Where the cursor stands. */
  readonly insert: (said: string) => void;
}

/** What stands in the field: kept as a draft, and what other places offer is added to it. */
function useTyped(chat: Chat, field: RefObject<HTMLTextAreaElement | null>): Typed {
  const id = chat.id.value;
  const [text, setText] = useState(() => draftOf(id));
  const cursor = useRef<number>(undefined);
  const change = (next: string): void => {
    setText(next);
    keepDraft(chat.id.peek(), next);
  };
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
  const insert = (said: string): void => {
    const selected = [
      field.current?.selectionStart ?? text.length,
      field.current?.selectionEnd ?? text.length,
    ] as const;
    const next = inserted(text, selected, said);
    cursor.current = next.cursor;
    change(next.text);
    field.current?.focus();
  };
  return { text, change, insert };
}

interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly change: (next: string) => void;
  readonly commands: ReturnType<typeof useCommandMenu>;
  /** `mod`: Ctrl or Cmd was held. */
  readonly onSend: (mod: boolean) => void;
  readonly onRecall: () => void;
  /** @returns whether it was taken; else it is pasted as text. */
  readonly onPaste: (files: readonly File[], text: string) => boolean;
}

function MessageField({ field, text, change, commands, onSend, onRecall, onPaste }: MessageFieldProps): VNode {
  const composing = useRef(false);
  return (
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
        if (onPaste(files, event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
      }}
      onKeyDown={(event) => {
        // Safari ends the composition before the key that accepted it: 229 still tells.
        if (event.isComposing || composing.current || event.keyCode === 229) return;
        if (commands.onKey(event)) return;
        if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
          const mod = event.ctrlKey || event.metaKey;
          if (sendKey.value === "mod-enter" && !mod) return; // breaks the line
          event.preventDefault();
          onSend(mod);
        } else if (event.key === "ArrowUp" && text === "" && !event.altKey && !event.ctrlKey && !event.metaKey) {
          event.preventDefault();
          onRecall();
        }
      }}
    />
  );
}

interface ComposerFootProps {
  readonly chat: Chat;
  readonly text: string;
  readonly online: boolean;
  readonly canSend: boolean;
  readonly send: (mode?: SendMode) => void;
}

/** Where the answer goes, and the buttons that send and stop. */
function ComposerFoot({ chat, text, online, canSend, send }: ComposerFootProps): VNode {
  const running = chat.turn.value !== undefined;
  return (
    <>
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
          disabled={line.value.state === "lost"}
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
    </>
  );
}

function hint(): string {
  return sendKey.value === "enter" ? t("composer.hint") : t("composer.hint.mod", { keys: keyLabel("Mod+Enter") });
}

/** ↑ in an empty field: the last message is edited in its place; its words again where that cannot be. */
function recall(chat: Chat, change: (text: string) => void): void {
  const last = chat.items.peek().findLast((item) => item.kind === "user" && item.from.kind === "person");
  if (last?.kind !== "user") return;
  if (isEditable(last)) {
    editing.value = last.id;
    return;
  }
  change(last.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = "auto";
  const lineHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.style.height = `${String(Math.min(field.scrollHeight, lineHeight * MAX_LINES + 24))}px`;
}
