/** What a turn did to the files of the workspace, taken back: the list first, and the files of others only when told so. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { UndoAnswer } from "../../../../app/src/gateway/schema/undo.ts";
import { api } from "../../api.ts";
import { t as shared } from "../../i18n/index.ts";
import { t, whyText } from "../../i18n/undo.ts";
import type { Chat } from "../../store/chat.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Check } from "../../ui/field.tsx";
import { tell } from "../../ui/tell.ts";
import { toast, undoable } from "../../ui/toast.tsx";

type Preview = UndoAnswer["preview"];
type File = Preview["files"][number];

export interface UndoFiles {
  ask(): Promise<void>;
  readonly dialog: VNode | null;
}

/** Whether a tool of the turn may have written files. */
export function wrote(chat: Chat, turn: string | undefined): boolean {
  return chat.items
    .peek()
    .some(
      (item) =>
        item.kind === "assistant" &&
        item.turn === turn &&
        item.parts.some((part) => part.type === "call" && WRITERS.has(part.call.name)),
    );
}

const WRITERS: ReadonlySet<string> = new Set(["write_file", "edit_file", "exec"]);

export function useUndoFiles(session: string, turn: string | undefined): UndoFiles {
  const [preview, setPreview] = useState<Preview>();
  const path = `/sessions/${session}/undo`;
  const close = (): void => setPreview(undefined);
  const go = async (force: boolean): Promise<void> => {
    close();
    const { body } = await api.post<UndoAnswer>(path, { turn, force });
    const { id = "", restored = [] } = body.done ?? {};
    const failed = restored.filter((file) => file.failed !== undefined).map((file) => file.path);
    if (failed.length > 0) toast(t("failed", { n: failed.length, paths: failed.join(", ") }));
    const count = restored.length - failed.length;
    if (count > 0) undoable(t("done", { n: count }), () => void tell(api.post(path, { turn: id })));
  };
  return {
    ask: async () => {
      const { body } = await api.post<UndoAnswer>(path, { turn, dryRun: true });
      setPreview(body.preview);
    },
    dialog: preview === undefined ? null : <UndoDialog preview={preview} onClose={close} onGo={go} />,
  };
}

interface DialogProps {
  readonly preview: Preview;
  readonly onClose: () => void;
  readonly onGo: (force: boolean) => Promise<void>;
}

function UndoDialog({ preview, onClose, onGo }: DialogProps): VNode {
  const [force, setForce] = useState(false);
  const { files, excluded, gaps } = preview;
  const isChosen = ({ problem, forceable }: File): boolean => problem === undefined || (force && forceable === true);
  const count = files.filter(isChosen).length;
  return (
    <Dialog
      title={t("title")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          {count > 0 && (
            <Button kind="primary" onClick={() => void tell(onGo(force))}>
              {t("go", { n: count })}
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        {files.length === 0 && <p>{t("same")}</p>}
        <ul class="plain-list">
          {files.map((file) => (
            <li key={file.path}>
              <code>
                <bdi>
                  {file.path}
                  {file.kind === "directory" ? "/" : ""}
                </bdi>
              </code>{" "}
              <span class="muted">
                {isChosen(file) ? chosenText(file) : t("left", { why: whyText(file.problem ?? "") })}
              </span>
            </li>
          ))}
        </ul>
        {files.some(({ forceable }) => forceable === true) && (
          <Check label={t("force")} checked={force} onChecked={setForce} />
        )}
        {excluded.length > 0 && <p class="muted small">{t("excluded", { names: excluded.join(", ") })}</p>}
        {gaps.map(({ gap, text }) => (
          <p class="muted small" key={gap + text}>
            {t(`gap.${gap}`, { text })}
          </p>
        ))}
      </div>
    </Dialog>
  );
}

function chosenText({ action, final }: File): string {
  return final === true ? `${t(action)} (${t("final")})` : t(action);
}
