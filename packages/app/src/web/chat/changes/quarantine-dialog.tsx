/** One thing that was kept aside: what is in it, to take back exactly as it is shown, or to delete. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { QuarantineView } from "../../../features/quarantine/schema.ts";
import { api } from "../../api.ts";
import { bytes } from "../../texts/format.ts";
import { t as shared } from "../../texts/index.ts";
import { t } from "./quarantine-texts.ts";
import { visible } from "../../markdown/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { tell } from "../../ui/tell.ts";
import { toast } from "../../ui/toast.tsx";

type Item = QuarantineView["items"][number];

interface DialogProps {
  readonly id: string;
  readonly onClose: () => void;
  /** It is taken back, or deleted. */
  readonly onDone?: () => void;
}

export function QuarantineDialog({ id, onClose, onDone }: DialogProps): VNode {
  const [item, setItem] = useState<Item | "gone">();
  const [deletes, setDeletes] = useState(false);
  const load = async (): Promise<void> => {
    const { body } = await api.get<QuarantineView>("/quarantine");
    setItem(body.items.find((one) => one.id === id) ?? "gone");
  };
  useEffect(() => {
    void tell(load()).then((isLoaded) => {
      if (!isLoaded) onClose();
    });
  }, []);
  const end = async (work: Promise<unknown>, said: string): Promise<void> => {
    // What is shown is not what is there: the person looks again.
    if (!(await tell(work))) return void (await tell(load()));
    toast(said);
    onClose();
    onDone?.();
  };
  const path = `/quarantine/${encodeURIComponent(id)}`;
  if (item === undefined || item === "gone")
    return (
      <Dialog title={t("title")} onClose={onClose} footer={<Button onClick={onClose}>{shared("common.close")}</Button>}>
        {item === undefined ? <Skeleton /> : <p>{t("gone")}</p>}
      </Dialog>
    );
  if (deletes)
    return (
      <Dialog
        title={t("removeTitle")}
        onClose={onClose}
        footer={
          <>
            <Button onClick={() => setDeletes(false)}>{shared("common.cancel")}</Button>
            <Button kind="danger-primary" onClick={() => void end(api.delete(path), t("removed", { path: item.path }))}>
              {t("removeTitle")}
            </Button>
          </>
        }
      >
        <p>{visible(t("removeAsk", { path: item.path }))}</p>
      </Dialog>
    );
  return (
    <Dialog
      wide
      title={t("title")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          <Button kind="danger" onClick={() => setDeletes(true)}>
            {t("remove")}
          </Button>
          <Button
            kind="primary"
            onClick={() =>
              void end(api.post(`${path}/restore`, { sha256: item.sha256 }), t("taken", { path: item.path }))
            }
          >
            {t("take")}
          </Button>
        </>
      }
    >
      <Content item={item} />
    </Dialog>
  );
}

/** A stranger may have written all of it: text alone, and what is hidden in it is seen. */
function Content({ item }: { item: Item }): VNode {
  return (
    <div class="stack">
      <p>{t("about")}</p>
      <p>
        <code>
          <bdi>{visible(item.path)}</bdi>
        </code>{" "}
        <span class="muted">
          {visible(t("why", { why: item.why }))} · {bytes(item.bytes)}
        </span>
      </p>
      {item.text === undefined ? (
        <p class="muted">{t("noText")}</p>
      ) : (
        <pre class="terminal" role="region" aria-label={t("content")} tabIndex={0}>
          {visible(item.text)}
        </pre>
      )}
      {item.cut === true && <p class="muted small">{t("cut")}</p>}
    </div>
  );
}
