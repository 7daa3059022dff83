/** A message of one's own, in other words, where it stands: Enter asks again in a branch, Esc leaves it as it was. */
import { seqOf, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { navigate } from "../../lib/route.ts";
import { sendKey } from "../../lib/preferences.ts";
import type { Chat } from "../../store/chat-state.ts";
import { chatOf, putSummary } from "../../store/sessions.ts";
import { t as shared } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { problemFrom } from "../../ui/problem.tsx";
import { tell } from "../../ui/tell.ts";
import type { OutgoingPart, SessionDetail } from "../../wire.ts";
import { familyOf } from "./branches.tsx";
import { editing } from "./editing.ts";
import { t } from "./texts.ts";
import { apiPath } from "../feed/user-text.tsx";

type Own = ItemOf<"user">;

export function EditOwn({ item, chat }: { readonly item: Own; readonly chat: Chat }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const leave = (): void => {
    editing.value = undefined;
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#composer")?.focus({ preventScroll: true }));
  };
  useEffect(() => {
    wholeText(item).then(setText, (error: unknown) => setFault(problemFrom(error).detail));
  }, [item.id]);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [text === undefined]);
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = "auto";
    field.current.style.height = `${String(Math.min(field.current.scrollHeight + 2, innerHeight / 2))}px`;
  }, [text]);
  const send = async (): Promise<void> => {
    const session = chat.id.value;
    if (busy || session === undefined || text === undefined || text.trim() === "") return;
    setBusy(true);
    await tell(askAgain(session, item, text.trim()));
    setBusy(false);
  };
  const detail = chat.detail.value;
  const branch = detail === undefined ? 1 : familyOf(detail).findIndex(({ id }) => id === detail.id) + 1;
  return (
    <div class="edit-own">
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={t("text")}
        disabled={text === undefined}
        value={text ?? ""}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return; // Safari: the key that accepted the composition
          const mod = event.ctrlKey || event.metaKey;
          if (event.key === "Escape") leave();
          else if (event.key === "Enter" && !event.shiftKey && (mod || sendKey.value === "enter")) void send();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div class="edit-own-foot">
        <span class="grow muted small">{fault ?? t("stays", { n: branch })}</span>
        <Button kind="quiet" size="small" onClick={leave}>
          {shared("common.cancel")} <kbd>Esc</kbd>
        </Button>
        <Button
          kind="primary"
          size="small"
          busy={busy}
          disabled={(text ?? "").trim() === ""}
          onClick={() => void send()}
        >
          {t("again")}
        </Button>
      </div>
    </div>
  );
}

async function askAgain(session: string, item: Own, text: string): Promise<void> {
  const id = await copyAt(session, seqOf(item) - 1);
  chatOf(id).send([...mediaOf(item), { type: "text", text }]);
  editing.value = undefined;
  navigate({ page: "chat", session: id });
}

/** @param at The last commit of the copy. @returns its id. */
export async function copyAt(session: string, at: number): Promise<string> {
  const { body } = await api.post<SessionDetail>(`/sessions/${session}/fork`, { at });
  putSummary(body);
  return body.id;
}

/** A long one is shown in part: what is asked again is all of it. */
async function wholeText(item: Own): Promise<string> {
  const texts = await Promise.all(
    item.parts.map(async (part) => {
      if (part.type !== "text") return undefined;
      if (part.cut === undefined) return part.text;
      const { body } = await api.get<{ parts?: readonly { text?: string }[] }>(apiPath(part.cut.href));
      return (body.parts ?? []).map(({ text }) => text ?? "").join("");
    }),
  );
  return texts.filter((text) => text !== undefined).join("\n\n");
}

function mediaOf({ parts }: Own): readonly OutgoingPart[] {
  return parts.flatMap((part): readonly OutgoingPart[] =>
    part.type === "text"
      ? []
      : [{ type: "media", blob: part.blob, mediaType: part.mediaType, name: part.name ?? part.mediaType }],
  );
}
