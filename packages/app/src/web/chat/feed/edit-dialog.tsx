/** A message of one's own, in other words. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../texts/chat.ts";
import { t as shared } from "../../texts/index.ts";
import { t as work } from "../../texts/work.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { tell } from "../../ui/tell.ts";

interface EditProps {
  readonly text: string;
  readonly onClose: () => void;
  readonly onSend: (text: string) => Promise<void>;
}

export function EditDialog({ text: before, onClose, onSend }: EditProps): VNode {
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (busy || text.trim() === "") return;
    setBusy(true);
    await tell(onSend(text.trim()));
    setBusy(false);
  };
  return (
    <Dialog
      title={t("item.edit")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          <Button kind="primary" busy={busy} disabled={text.trim() === ""} onClick={() => void send()}>
            {work("composer.send")}
          </Button>
        </>
      }
    >
      <TextArea
        label={t("item.edit.text")}
        hint={t("item.edit.why")}
        rows={8}
        dir="auto"
        autofocus
        value={text}
        onValue={setText}
        onKeyDown={(event) => {
          if (event.isComposing || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
    </Dialog>
  );
}
