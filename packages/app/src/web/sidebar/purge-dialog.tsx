/** The one deletion without an undo: its title has to be typed. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { t as chat } from "../texts/chat.ts";
import { t as shared } from "../texts/index.ts";
import { t } from "./session-texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { tell } from "../ui/tell.ts";
import { toast } from "../ui/toast.tsx";
import type { SessionSummary } from "../wire.ts";

interface PurgeProps {
  readonly one: SessionSummary;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

export function PurgeDialog({ one, onClose, onGone }: PurgeProps): VNode {
  const title = one.title === "" ? chat("list.untitled") : one.title;
  const [typed, setTyped] = useState("");
  // Spaces that a title is shown without cannot be seen, so they are not asked for.
  const plain = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
  const same = plain(typed) === plain(title);
  const purge = async (): Promise<void> => {
    onClose(); // it may have to ask for a proof next
    if (!(await tell(api.delete(`/sessions/${one.id}`, { query: { purge: true } })))) return;
    toast(t("purge.done", { title }));
    onGone();
  };
  return (
    <Dialog
      title={t("trash.purge")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          <Button kind="danger-primary" disabled={!same} onClick={() => void purge()}>
            {t("trash.purge")}
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (same) void purge();
        }}
      >
        <p>{t("purge.what")}</p>
        <p>
          <strong class="purge-title">{title}</strong>
        </p>
        <TextField
          label={t("purge.title")}
          value={typed}
          onValue={setTyped}
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
      </form>
    </Dialog>
  );
}
