/** The title of a chat while it is renamed, in the list and in the header: it has the focus from the first letter on. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../texts/chat.ts";
import { changeSession } from "../store/sessions.ts";
import { tell } from "../ui/tell.ts";
import type { SessionSummary } from "../wire.ts";

interface TitleFieldProps {
  readonly summary: SessionSummary;
  readonly class: string;
  readonly onDone: () => void;
}

export function TitleField({ summary, class: name, onDone }: TitleFieldProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const [title, setTitle] = useState(summary.title);
  useLayoutEffect(() => {
    field.current?.focus(); // selecting alone leaves the keys to whatever had them
    field.current?.select();
  }, []);
  const end = (save: boolean): void => {
    if (done.current) return; // leaving the page takes the focus too
    done.current = true;
    const next = title.trim();
    onDone();
    if (save && next !== "" && next !== summary.title) void tell(changeSession(summary, { title: next }));
  };
  return (
    <input
      ref={field}
      class={`input ${name}`}
      aria-label={t("session.title")}
      value={title}
      maxLength={200}
      dir="auto"
      onInput={(event) => setTitle(event.currentTarget.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") end(true);
        else if (event.key === "Escape") end(false);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
